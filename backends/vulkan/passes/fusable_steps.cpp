#include "backends/vulkan/passes/fusable_steps.h"

#include "backends/vulkan/lower/conv/lower_conv2d.h"
#include "backends/vulkan/lower/elementwise/elementwise_push.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "core/schema/schema.h"

namespace nnrt::vulkan {
namespace {

bool supports_epilogue(const NodeView& fused) {
  if (fused.node().outputs.size() != 1 || fused.dtype() != DType::f32) return false;
  for (size_t i = 0; i < fused.node().inputs.size(); ++i)
    if (!is_static(fused.shape(i))) return false;
  const auto epilogue = epilogue_of(fused);
  return epilogue.ok() && !(epilogue.value().added && is_depthwise(fused));
}

// Operators of that family whose kernels store what they compute as it is.
bool has_no_epilogue(Op op) {
  return op == Op::conv3d || op == Op::matmul_nbits || op == Op::rotary_embedding || op == Op::attention;
}

}  // namespace

bool supports_post_ops(const NodeView& fused, const DevicePlan&) {
  switch (fused.schema().family) {
    case Family::unary:
    case Family::binary: return supports_fused_elementwise(fused);
    case Family::gemm_conv:
      if (has_no_epilogue(fused.op())) return fused.node().post_ops.empty();
      return supports_epilogue(fused);
    default: return fused.node().post_ops.empty();
  }
}

}  // namespace nnrt::vulkan
