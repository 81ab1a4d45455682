// In-place state: programs that may write an output over the input it is computed from.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"

namespace nnrt::vulkan {

// Whether the piece need not be copied if both edges are bound to the same address.
bool stays(const Step& step, const Copy::Piece& piece);

// Returns whether output and input may be bound to the same address: no step reads an input byte that it or
// an earlier step has written. Both are edge indices.
bool may_share(const Program& program, uint32_t input, uint32_t output);

}  // namespace nnrt::vulkan
