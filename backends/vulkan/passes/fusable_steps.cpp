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

}  // namespace

bool supports_post_ops(const NodeView& fused, const DevicePlan&) {
  switch (fused.schema().family) {
    case Family::unary:
    case Family::binary: return supports_fused_elementwise(fused);
    case Family::gemm_conv:
      if (fused.op() == Op::conv3d || fused.op() == Op::rotary_embedding)
        return fused.node().post_ops.empty();
      return supports_epilogue(fused);
    default: return fused.node().post_ops.empty();
  }
}

}  // namespace nnrt::vulkan
