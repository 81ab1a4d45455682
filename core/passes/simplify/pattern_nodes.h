// Nodes of which patterns are made.
#pragma once

#include "core/graph/activation.h"
#include "core/passes/simplify/rewriter.h"

namespace nnrt::simplified {

// A node without an activation of its own, on plain numbers of one dtype.
bool is_plain(const Rewriter& graph, const Node& node);
// The node that computes the tensor if it is this operator, and such a node.
const Node* plain_writer(const Rewriter& graph, TensorId id, Op op);
// A product or a quotient of that kind.
bool ends_product(const Rewriter& graph, const Node& node);

// The other operand of a commutative node one of whose operands is that number.
std::optional<TensorId> beside(const Rewriter& graph, const Node* node, double value);
// The tensor of which this is that power.
std::optional<TensorId> power_base(const Rewriter& graph, TensorId id, double exponent);
// The tensor of which this is the square.
std::optional<TensorId> square_base(const Rewriter& graph, TensorId id);

}  // namespace nnrt::simplified
