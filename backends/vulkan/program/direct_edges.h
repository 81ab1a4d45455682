// Small caller tensors that kernels access directly over a GPU's bus.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"

namespace nnrt::vulkan {

// Sets Edge::direct from what the steps read and write. Even a tiny device copy takes several microseconds
// with its barrier; but each read over the bus takes a microsecond, and an invocation may do several in
// sequence. So direct edges are inputs of a few vectors, and outputs of a few kilobytes that are written
// once, because writes are not waited for.
void choose_direct_edges(Program& program, const DevicePlan& plan);

}  // namespace nnrt::vulkan
