// Operands of matrix products, as exporters write them: scaled, transposed, repeated.
#pragma once

#include "core/passes/simplify/rewriter.h"

namespace nnrt::simplified {

// The node that computes an operand for this reader alone.
const Node* own_writer(const Rewriter& graph, TensorId id, Op op);

// A product with one number: which operand that is.
struct Scaled {
  TensorId tensor, number;
};
std::optional<Scaled> scaled(const Rewriter& graph, TensorId id);

// The dimension of the input that each one of a TRANSPOSE comes from, where that is known.
std::optional<std::vector<int64_t>> order_of(const Rewriter& graph, const Node& transpose);

// BROADCAST_TO that repeats each matrix of one dimension, which a RESHAPE then merges with the one before it:
// [.., G, 1, m, n] -> [.., G, R, m, n] -> [.., G * R, m, n].
struct Repeated {
  TensorId source;
  Shape shape;  // [.., G, m, n]
  int64_t times;
};
std::optional<Repeated> repeated(const Rewriter& graph, TensorId id);

// The shape that a RESHAPE is told.
TensorId add_shape(Rewriter& graph, const Shape& shape);
TensorId append_reshape(Rewriter& graph, TensorId from, const Shape& shape, const Node& origin);

}  // namespace nnrt::simplified
