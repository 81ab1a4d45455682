// Long programs in pieces: systems end what keeps a GPU for too long, and other work gets its turn in
// between.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"

namespace nnrt::vulkan {

// The ends of the program's submissions: numbers of steps, the last of which is that of all steps. As few as
// expected costs allow; a step that takes longer is alone.
std::vector<size_t> submission_ends(const Program& program, const DevicePlan& plan);

}  // namespace nnrt::vulkan
