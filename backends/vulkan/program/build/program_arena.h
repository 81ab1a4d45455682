// Placement of a program's intermediate buffers in the arena.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"

#include <span>

namespace nnrt::vulkan {

// A buffer in the arena. Before placement, its regions hold its number and offsets within it.
struct ArenaBuffer {
  Buffer buffer;
  uint64_t bytes = 0;
};

// Orders the program's steps for the device and assigns arena offsets to its buffers, which overlap if their
// lifetimes don't.
Status place_arena(Program& program, std::span<const ArenaBuffer> buffers, const DevicePlan& plan);

}  // namespace nnrt::vulkan
