// State in place: a program that writes an output over the input of which it makes it.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"

namespace nnrt::vulkan {

// The piece stays where it is if both edges are bound to one address.
bool stays(const Step& step, const Copy::Piece& piece);

// Returns whether the output may be bound to the address of the input: no step reads a byte of the input that
// it or a step before it has written. Both are indices of edges.
bool may_share(const Program& program, uint32_t input, uint32_t output);

}  // namespace nnrt::vulkan
