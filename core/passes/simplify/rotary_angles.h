// Angles with one element per element of a pair, where ROTARY_EMBEDDING needs one per pair. Partners are
// adjacent if interleaved, otherwise half the last dimension apart.
#pragma once

#include "core/passes/simplify/rewriter.h"

#include <array>

namespace nnrt::simplified {

using Parts = std::array<TensorId, 2>;

// The two tensors concatenated along the last dimension.
std::optional<Parts> joined_last(const Rewriter& graph, TensorId id);
// The two tensors that alternate along the last dimension.
std::optional<Parts> stacked_last(const Rewriter& graph, TensorId id);

bool partners_are_equal(const Rewriter& graph, TensorId id, bool interleaved);
// The first elements of pairs with equal partners.
std::optional<TensorId> one_of_partners(Rewriter& graph, TensorId id, bool interleaved);

}  // namespace nnrt::simplified
