// Computes an operation while a model is imported: the arithmetic of shapes, and constants that files hold in
// other layouts.
#pragma once

#include "core/graph/graph.h"

namespace nnrt::import {

// Returns whether the results have known sizes and are cheap to compute. The caller limits their size.
bool worth_computing(const nnrt::Graph& graph, const nnrt::Node& node);

// All inputs are constants and all shapes are known. The results' bytes.
Result<std::vector<Bytes>> evaluate(const nnrt::Graph& graph, const nnrt::Node& node);

struct PartlyKnown {
  std::shared_ptr<const Bytes> data;
  bool complete = false;
};

// For an operation that moves integers, and SHAPE: what is known of its one output. An element that is not
// holds `hidden`, as it does in the inputs. Nothing where nothing is known.
std::optional<PartlyKnown> evaluate_partly(const nnrt::Graph& graph, const nnrt::Node& node, int64_t hidden);

}  // namespace nnrt::import
