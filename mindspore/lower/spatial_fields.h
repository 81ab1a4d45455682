// Kernels, strides and padding of convolutions and pools.
#pragma once

#include "mindspore/lower/node_lowering.h"

namespace nnrt::mindspore {

// A field of one or two numbers, [height, width]; `fallback` for both if it is absent.
Integers pair_field(Lowering& op, std::string_view field, int64_t fallback);

// The padding: SAME, or the list up, down, left, right, which also counts with VALID.
void add_padding(Lowering& op, Settings& settings, std::string_view list_field);

}  // namespace nnrt::mindspore
