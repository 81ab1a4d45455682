// Helpers for copying operators (R11): inputs requantized to the output's parameters, and fills.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

namespace nnrt::vulkan {

// The number of leading inputs that are copied; later ones are parameters.
size_t data_inputs(const Node& node);

// Refuses requantization between different per-channel parameters.
Refusal refuse_copied(const NodeView& node, size_t input);

// The input's buffer, requantized if its parameters differ from those of output 0.
Result<Buffer> copied(const LoweringContext& context, size_t input);

// The 32-bit word that fills memory with this element; nullopt if no word does.
std::optional<uint32_t> repeated(Bytes element);

// Fills output 0 with one element: by the device's fill command if a word repeats it, else by a broadcasting
// copy.
Status add_fill(const LoweringContext& context, const Bytes& element);

}  // namespace nnrt::vulkan
