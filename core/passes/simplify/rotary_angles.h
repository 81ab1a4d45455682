// Angles that have an element for each element of a pair, as ROTARY_EMBEDDING takes one for both. The
// partners of pairs are neighbours where they are interleaved; else they are half the last dimension apart.
#pragma once

#include "core/passes/simplify/rewriter.h"

#include <array>

namespace nnrt::simplified {

using Parts = std::array<TensorId, 2>;

// The two tensors that are joined along the last dimension.
std::optional<Parts> joined_last(const Rewriter& graph, TensorId id);
// The two tensors of which elements of the last dimension take turns.
std::optional<Parts> stacked_last(const Rewriter& graph, TensorId id);

bool partners_are_equal(const Rewriter& graph, TensorId id, bool interleaved);
// The first elements of pairs whose partners are equal.
std::optional<TensorId> one_of_partners(Rewriter& graph, TensorId id, bool interleaved);

}  // namespace nnrt::simplified
