#include "backends/vulkan/lower/steps.h"

#include "backends/vulkan/lower/elementwise.h"
#include "core/schema.h"

namespace nnrt::vulkan {

bool takes_steps(const NodeView& fused, const DevicePlan&) {
  switch (fused.schema().family) {
    case Family::unary:
    case Family::binary: return takes_chain(fused);
    default: return fused.node().then.empty();
  }
}

}  // namespace nnrt::vulkan
