// Valid random nodes generated from the operator table, to test what must hold for every operator.
// Deterministic for a seed.
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/schema/schema.h"

#include <optional>
#include <vector>

namespace nnrt::test {

struct RandomNode {
  Op op{};
  uint32_t seed = 0;
  std::vector<Tensor> inputs{}, params{}, outputs{};  // constants have data
  std::vector<Bytes> contents{};                      // one per input, constant or fed
};

// Fixes input 0 of a node to an intermediate result of a graph.
using First = std::optional<Tensor>;

// The node of this seed, or the error of infer_node or AddOperation, after which tests draw again.
Result<RandomNode> draw_node(Op op, uint32_t seed, const First& first = {});
// With any source of randomness.
class Random;
Result<RandomNode> draw_node(Op op, Random& random, const First& first = {});

// The first valid node of the seeds from `seed` on; at least one in a hundred must be valid. Adds the number
// of rejected seeds to `refused`.
RandomNode valid_node(Op op, uint32_t seed, size_t& refused, const First& first = {});

// A model of this node. Its fed inputs are the model's inputs, in order.
Result<GraphPtr> graph_of(const RandomNode& node);

}  // namespace nnrt::test
