// Helpers to match nodes of patterns.
#pragma once

#include "core/graph/activation.h"
#include "core/passes/simplify/rewriter.h"

namespace nnrt::simplified {

// A node without activation, on unquantized numbers of one dtype.
bool is_plain(const Rewriter& graph, const Node& node);
// The node that writes the tensor, if it is this operator and is_plain().
const Node* plain_writer(const Rewriter& graph, TensorId id, Op op);
// A plain product or quotient.
bool ends_product(const Rewriter& graph, const Node& node);

// The other operand of a commutative node that has this number as an operand.
std::optional<TensorId> beside(const Rewriter& graph, const Node* node, double value);
// The tensor that this is the given power of.
std::optional<TensorId> power_base(const Rewriter& graph, TensorId id, double exponent);
// The tensor that this is the square of.
std::optional<TensorId> square_base(const Rewriter& graph, TensorId id);

}  // namespace nnrt::simplified
