// Shapes of whole graphs.
#pragma once

#include "core/graph/graph.h"

#include <vector>

namespace nnrt {

// Fills graph.shapes and each node's diagnosis from declared shapes and constants. A node that makes no sense
// keeps its outputs' declared shapes.
void infer(Graph& graph);

// Returns whether a run may do without that operand of the node: one of a WHERE by one element, or what a
// STRIDED_SLICE cuts to nothing.
bool is_choice(const Graph& graph, const Node& node, size_t input);

// For each node, whether its results go nowhere but into a choice between tensors of different shapes: an
// error of the node is one of the run only if a result is chosen.
std::vector<bool> deferred_errors(const Graph& graph);

// For each node, whether one device has to compute it together with those whose errors are deferred: these,
// the choice, what joins its parts, and the scalars that its condition comes from.
std::vector<bool> nodes_of_choices(const Graph& graph);

// The shapes of all tensors for one run, from the concrete shapes of the graph's inputs. Shapes that depend
// on values computed in the run, and those behind errors that are deferred, keep their -1. An error is an
// error of the run.
Result<std::vector<Shape>> infer_run(const Graph& graph, std::span<const Shape> inputs);

// The pointers to constants' data, indexed by TensorId: what infer() knows, and what a device starts from.
std::vector<const std::byte*> constant_values(const Graph& graph);

}  // namespace nnrt
