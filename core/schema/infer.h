// Shapes of whole graphs.
#pragma once

#include "core/graph/graph.h"

#include <vector>

namespace nnrt {

// Fills graph.shapes and each node's diagnosis from declared shapes and constants. A node that makes no sense
// keeps its outputs' declared shapes.
void infer(Graph& graph);

// The shapes of all tensors for one run, from the concrete shapes of the graph's inputs. Shapes that depend
// on values computed in the run keep their -1. An error is an error of the run.
Result<std::vector<Shape>> infer_run(const Graph& graph, std::span<const Shape> inputs);

// The pointers to constants' data, indexed by TensorId: what infer() knows, and what a device starts from.
std::vector<const std::byte*> constant_values(const Graph& graph);

}  // namespace nnrt
