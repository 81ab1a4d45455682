// Shape inference for graphs.
#pragma once

#include "core/graph/graph.h"

#include <vector>

namespace nnrt {

// Sets graph.shapes and each node's diagnosis from declared shapes and constants. Outputs of an invalid node
// keep their declared shapes.
void infer(Graph& graph);

// Returns whether a run may not need that operand of the node: an operand of a WHERE with a one-element
// condition, or the input of a STRIDED_SLICE that may be empty.
bool is_choice(const Graph& graph, const Node& node, size_t input);

// For each node, whether its results are used only by choices between tensors of different shapes: its errors
// only matter to a run that selects a result.
std::vector<bool> deferred_errors(const Graph& graph);

// For each node, whether it must run on the same device as the nodes with deferred errors: those nodes, the
// choice, the node that joins its parts, and the scalars its condition depends on.
std::vector<bool> nodes_of_choices(const Graph& graph);

// The shapes of all tensors in one run, from the static shapes of the graph's inputs. Shapes that depend on
// values computed in the run, or that follow deferred errors, keep their -1. Errors fail the run.
Result<std::vector<Shape>> infer_run(const Graph& graph, std::span<const Shape> inputs);

// Pointers to the constants' data, by TensorId; null for other tensors.
std::vector<const std::byte*> constant_values(const Graph& graph);

}  // namespace nnrt
