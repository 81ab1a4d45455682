#include "backends/vulkan/passes/fusable_steps.h"

#include "backends/vulkan/lower/conv/lower_convolutions.h"
#include "backends/vulkan/lower/elementwise/elementwise_push.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "core/schema/schema.h"

namespace nnrt::vulkan {
namespace {

bool supports_epilogue(const NodeView& fused, const DevicePlan& plan) {
  if (fused.node().outputs.size() != 1 || !kFloat.contains(fused.dtype())) return false;
  for (size_t i = 0; i < fused.node().inputs.size(); ++i)
    if (!is_static(fused.shape(i))) return false;
  const auto epilogue = epilogue_of(fused);
  if (!epilogue.ok()) return false;
  // Without fp16 storage, an fp16 operand of the addition would need a conversion first.
  const bool reads_dtype = fused.dtype() == DType::f32 || plan.fp16_storage;
  return !epilogue.value().added || (reads_dtype && !is_depthwise(fused));
}

bool supports_elementwise(const NodeView& fused, const DevicePlan& plan) {
  return supports_fused_elementwise(fused) && (fused.dtype() == DType::f32 || plan.fp16_storage);
}

// The operators of the GEMM and convolution family whose lowerings use epilogue_of(). Others would drop
// post-ops.
bool has_epilogue(Op op) {
  switch (op) {
    case Op::matmul:
    case Op::full_connection:
    case Op::conv2d:
    case Op::conv2d_transpose:
    case Op::depthwise_conv2d_native: return true;
    default: return false;
  }
}

}  // namespace

bool supports_post_ops(const NodeView& fused, const DevicePlan& plan) {
  switch (fused.schema().family) {
    case Family::unary:
    case Family::binary: return supports_elementwise(fused, plan);
    case Family::gemm_conv:
      return has_epilogue(fused.op()) ? supports_epilogue(fused, plan) : fused.node().post_ops.empty();
    default: return fused.node().post_ops.empty();
  }
}

}  // namespace nnrt::vulkan
