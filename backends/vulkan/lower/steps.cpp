#include "backends/vulkan/lower/steps.h"

#include "backends/vulkan/lower/convolution.h"
#include "backends/vulkan/lower/elementwise.h"
#include "backends/vulkan/lower/finish.h"
#include "core/schema.h"

#include <algorithm>
#include <ranges>

namespace nnrt::vulkan {
namespace {

bool takes_finish(const NodeView& fused) {
  if (fused.op() == Op::lstm || fused.dtype() != DType::f32) return false;
  const auto inputs = std::views::iota(size_t{0}, fused.node().inputs.size());
  if (!std::ranges::all_of(inputs, [&](size_t i) { return is_static(fused.shape(i)); })) return false;
  const auto finish = finish_of(fused);
  return finish.ok() && !(finish.value().added && is_depthwise(fused));
}

}  // namespace

bool takes_steps(const NodeView& fused, const DevicePlan&) {
  switch (fused.schema().family) {
    case Family::unary:
    case Family::binary: return takes_chain(fused);
    case Family::linear: return takes_finish(fused);
    default: return fused.node().then.empty();
  }
}

}  // namespace nnrt::vulkan
