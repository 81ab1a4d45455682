// Tensors whose elements lie in another tensor, with the dimensions in another order, and what a RESHAPE or a
// TRANSPOSE leaves of that. Pure.
#pragma once

#include "core/base/shape.h"

#include <optional>
#include <vector>

namespace nnrt {

// For each dimension of what is stored, the tensor's dimension that it is.
using Order = std::vector<int64_t>;

Shape in_order(const Shape& shape, const Order& order);

// The order in which the elements of a tensor that is reshaped from one shape to another lie where they were,
// if its dimensions have one: those that the RESHAPE joins or cuts must lie together, in the tensor's order.
// An unknown dimension stays what it is.
std::optional<Order> order_behind_reshape(const Shape& from, const Order& order, const Shape& to);

// The same for a TRANSPOSE by this permutation.
Order order_behind_transpose(const Order& permutation, const Order& order);

// The permutation with which a TRANSPOSE stores in the order `to` what lies in the order `from`.
Order permutation_between(const Order& from, const Order& to);

bool is_in_place(const Order& permutation);

}  // namespace nnrt
