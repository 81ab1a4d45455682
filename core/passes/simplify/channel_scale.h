// Normalizations with constants, as factors and terms of channels.
#pragma once

#include "core/passes/simplify/rewriter.h"

#include <optional>

namespace nnrt::simplified {

// The SCALE that computes the same, still without outputs, and with new constants in the graph; nothing where
// channels are not the last dimension, or parameters are no constants.
std::optional<Node> scale_of_batch_norm(Rewriter& graph, const Node& batch_norm);

}  // namespace nnrt::simplified
