// Normalizations with constants, as per-channel factors and terms.
#pragma once

#include "core/passes/simplify/rewriter.h"

#include <optional>

namespace nnrt::simplified {

// An equivalent SCALE without outputs, adding its constants to the graph; empty if channels are not the last
// dimension, or parameters are not constant.
std::optional<Node> scale_of_batch_norm(Rewriter& graph, const Node& batch_norm);

}  // namespace nnrt::simplified
