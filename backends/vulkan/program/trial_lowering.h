// A node's lowering on trial: whether what it makes is within the limits of a device.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

// Lowers the node, which is one of a graph that is_normalized(), for nobody, and asks of each command what is
// asked when a program is built: why not, if the lowering or a limit refuses it. Nothing where some shape is
// known only in the run.
Refusal refuse_lowering(const NodeView& node, const Lowering& rules, const DevicePlan& plan);

// Lowers the node, all of whose shapes are known, for nobody, and reports what was chosen from lists, or the
// shaders if there is no list.
KernelLog kernels_of(const NodeView& node, const Lowering& rules, const DevicePlan& plan);

// A dispatch of a node by itself, with the bytes of what is bound to it.
struct TrialDispatch {
  Dispatch dispatch;
  std::vector<uint64_t> bytes;  // by binding, of whole buffers
};

struct TrialCommands {
  std::vector<TrialDispatch> dispatches;
  std::vector<TileRequest> tiles;  // the choices of tiles that were made
};

// Lowers a node of known shapes for somebody who wants to measure it. Contents of constants are not packed.
Result<TrialCommands> trial_commands(const NodeView& node, const Lowering& rules, const DevicePlan& plan);

}  // namespace nnrt::vulkan
