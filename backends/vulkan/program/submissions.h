// Splits long programs into submissions: systems kill work that blocks a GPU for too long, and other work can
// run in between.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"

namespace nnrt::vulkan {

// Returns the end of each submission as a step number; the last one is the number of steps. As few as the
// expected costs allow; a longer step is submitted alone.
std::vector<size_t> submission_ends(const Program& program, const DevicePlan& plan);

}  // namespace nnrt::vulkan
