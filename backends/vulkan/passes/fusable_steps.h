// Selects the post-ops (core/passes/fuse.h) that the lowerings can compute.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/schema/node_view.h"

namespace nnrt::vulkan {

// Returns whether the lowering of the node's operator computes all its post-ops (core/passes/fuse.h). Its
// shapes are static.
bool supports_post_ops(const NodeView& fused, const DevicePlan& plan);

}  // namespace nnrt::vulkan
