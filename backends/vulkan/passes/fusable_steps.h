// Which fused steps (core/passes/fuse.h) the lowerings of operators compute with them.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/schema/node_view.h"

namespace nnrt::vulkan {

// Whether the lowering of the node's operator computes the node's steps, all of them. What holds of such a
// node is said in core/passes/fuse.h; its shapes are static.
bool supports_post_ops(const NodeView& fused, const DevicePlan& plan);

}  // namespace nnrt::vulkan
