// Which fused steps (core/fuse.h) the lowerings of operators compute with them.
#pragma once

#include "backends/vulkan/device_plan.h"
#include "core/node_view.h"

namespace nnrt::vulkan {

// Whether the lowering of the node's operator computes the node's steps, all of them. What holds of such a
// node is said in core/fuse.h; its shapes are static.
bool takes_steps(const NodeView& fused, const DevicePlan& plan);

}  // namespace nnrt::vulkan
