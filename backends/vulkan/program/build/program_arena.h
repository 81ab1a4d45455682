// The memory of what a program computes for itself.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"

#include <span>

namespace nnrt::vulkan {

// A buffer that lives in the arena. Until it is placed, regions of it have its number and offsets within it.
struct ArenaBuffer {
  Buffer buffer;
  uint64_t bytes = 0;
};

// Puts the program's steps in the order that suits the device, and its buffers into the arena: those that
// live at different times may have the same place.
Status place_arena(Program& program, std::span<const ArenaBuffer> buffers, const DevicePlan& plan);

}  // namespace nnrt::vulkan
