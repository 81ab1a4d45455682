// Small tensors of the caller's that kernels reach over a GPU's bus.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"

namespace nnrt::vulkan {

// Sets Edge::direct, from what the steps read and write. A copy by the device and the barrier beside it take
// several microseconds, however few bytes it moves; on the other hand each read over the bus takes a
// microsecond, and an invocation may do one after the other. Therefore inputs of a few vectors are direct,
// and outputs of a few kilobytes that are written once: nobody waits for a write.
void choose_direct_edges(Program& program, const DevicePlan& plan);

}  // namespace nnrt::vulkan
