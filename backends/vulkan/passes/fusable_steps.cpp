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

// The operators of that family whose lowerings read epilogue_of() the node. Others would leave post-ops out.
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

bool supports_post_ops(const NodeView& fused, const DevicePlan&) {
  switch (fused.schema().family) {
    case Family::unary:
    case Family::binary: return supports_fused_elementwise(fused);
    case Family::gemm_conv:
      return has_epilogue(fused.op()) ? supports_epilogue(fused) : fused.node().post_ops.empty();
    default: return fused.node().post_ops.empty();
  }
}

}  // namespace nnrt::vulkan
