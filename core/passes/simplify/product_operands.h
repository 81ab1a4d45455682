// Matching of matrix product operands as exporters write them: scaled, transposed, repeated.
#pragma once

#include "core/passes/simplify/rewriter.h"

namespace nnrt::simplified {

// The node that computes an operand for a single reader.
const Node* own_writer(const Rewriter& graph, TensorId id, Op op);

// A product with a single number, and which operand that is.
struct Scaled {
  TensorId tensor, number;
};
std::optional<Scaled> scaled(const Rewriter& graph, TensorId id);

// The permutation of a TRANSPOSE, if known.
std::optional<std::vector<int64_t>> order_of(const Rewriter& graph, const Node& transpose);

// A BROADCAST_TO that repeats the matrices of one dimension, which a RESHAPE then merges with the previous
// one: [.., G, 1, m, n] -> [.., G, R, m, n] -> [.., G * R, m, n].
struct Repeated {
  TensorId source;
  Shape shape;  // [.., G, m, n]
  int64_t times;
};
std::optional<Repeated> repeated(const Rewriter& graph, TensorId id);

// A constant for the target shape of a RESHAPE.
TensorId add_shape(Rewriter& graph, const Shape& shape);
// A constant becomes one of the new shape.
TensorId append_reshape(Rewriter& graph, TensorId from, const Shape& shape, const Node& origin);

}  // namespace nnrt::simplified
