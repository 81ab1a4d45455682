// Lowers a node on trial to check that its commands are within the device's limits.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <map>

namespace nnrt::vulkan {

// Applies the same checks as building a program and returns why the lowering or a limit refuses the node. The
// node's graph must be is_normalized(). nullopt if a shape is known only at run time.
Refusal refuse_lowering(const NodeView& node, const Lowering& rules, const DevicePlan& plan);

// The kernel choices of a node whose shapes are all known; its shaders if it has no kernel list. `limits`:
// the Winograd limits that Build needed, so the choice depends on no others and deferred weights stay unread;
// null: reads weights for their limits.
KernelLog kernels_of(const NodeView& node, const Lowering& rules, const DevicePlan& plan,
                     const std::map<TensorId, float>* limits = nullptr);

// A node's dispatch with the sizes of its buffers.
struct TrialDispatch {
  Dispatch dispatch;
  std::vector<uint64_t> bytes;  // by binding, of entire buffers
};

struct TrialCommands {
  std::vector<TrialDispatch> dispatches;
  std::vector<TileRequest> tiles;  // tile choices that were made
};

// Lowers a node of known shapes for measurements. Constants are not packed.
Result<TrialCommands> trial_commands(const NodeView& node, const Lowering& rules, const DevicePlan& plan);

}  // namespace nnrt::vulkan
