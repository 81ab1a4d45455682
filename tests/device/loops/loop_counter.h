// Counts the loop iterations of a dispatch on a device, with a shader rewritten to count them.
#pragma once

#include "backends/vulkan/pipeline/vk_context.h"
#include "backends/vulkan/program/trial_lowering.h"

#include <optional>
#include <span>
#include <vector>

namespace nnrt::test {

// Returns whether the module has loops.
bool has_loops(std::span<const uint32_t> words);

// Adds a count of all loop iterations. Each invocation raises word 0 of the buffer at `binding` to its count.
// Functions must be inlined.
std::vector<uint32_t> with_loop_counter(std::span<const uint32_t> words, uint32_t binding);

// The largest count of an invocation; all memory is zero.
Result<uint32_t> count_iterations(vulkan::Context& context, const vulkan::TrialDispatch& work);

}  // namespace nnrt::test
