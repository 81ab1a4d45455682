// Helpers for operators that copy (R11): inputs requantized as the output, and outputs filled with one
// element.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

namespace nnrt::vulkan {

// The inputs that data of a movement operator come from, the first so many: others are values.
size_t data_inputs(const Node& node);

// Different parameters with one scale for each channel.
Refusal refuse_copied(const NodeView& node, size_t input);

// Input `input` of a copying operator: requantized where its parameters are not those of output 0.
Result<Buffer> copied(const LoweringContext& context, size_t input);

// A word of nothing but this element, if there is such a word.
std::optional<uint32_t> repeated(Bytes element);

// Output 0 full of one element: by the device's fill where all words are equal, else by a copy that repeats
// the element.
Status add_fill(const LoweringContext& context, const Bytes& element);

}  // namespace nnrt::vulkan
