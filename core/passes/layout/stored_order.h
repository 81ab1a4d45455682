// Tensors stored in another tensor with permuted dimensions, and the effect of RESHAPE and TRANSPOSE on that
// order. Pure.
#pragma once

#include "core/base/shape.h"

#include <optional>
#include <vector>

namespace nnrt {

// For each stored dimension, the tensor's dimension.
using Order = std::vector<int64_t>;

Shape in_order(const Shape& shape, const Order& order);

// The storage order of a reshaped tensor, with the elements unmoved. Exists only if dimensions that are
// joined or split are adjacent in storage and in the tensor's order. Unknown dimensions are preserved.
std::optional<Order> order_behind_reshape(const Shape& from, const Order& order, const Shape& to);

// The same for a TRANSPOSE with this permutation.
Order order_behind_transpose(const Order& permutation, const Order& order);

// The TRANSPOSE permutation that converts from one storage order to another.
Order permutation_between(const Order& from, const Order& to);

bool is_in_place(const Order& permutation);

}  // namespace nnrt
