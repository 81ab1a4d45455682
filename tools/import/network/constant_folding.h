// Evaluates operations at import time: shape arithmetic, and constants stored in other layouts.
#pragma once

#include "core/graph/graph.h"

namespace nnrt::import {

// Returns whether the result sizes are known and computing them is cheap. The caller limits the size.
bool worth_computing(const nnrt::Graph& graph, const nnrt::Node& node);

// All inputs must be constants and all shapes known. Returns the bytes of the results.
Result<std::vector<SharedBytes>> evaluate(const nnrt::Graph& graph, const nnrt::Node& node);

struct PartlyKnown {
  SharedBytes data;
  bool complete = false;
};

// Partial evaluation of SHAPE and of operations that move integers: the known elements of the single output.
// Unknown elements hold `hidden`, as in the inputs. Empty if nothing is known.
std::optional<PartlyKnown> evaluate_partly(const nnrt::Graph& graph, const nnrt::Node& node, int64_t hidden);

}  // namespace nnrt::import
