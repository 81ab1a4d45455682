// Valid nodes made from the rows of the operator table: tests of everything that is true for each of them.
// A seed draws the same node again.
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
  std::vector<Tensor> inputs{}, params{}, outputs{};  // constants have their data
  std::vector<Bytes> contents{};                      // one for each input, constant or fed
};

// A tensor that input 0 of a drawn node is: an intermediate result of a graph.
using First = std::optional<Tensor>;

// The node of this seed; or why it is none, by infer_node or AddOperation, which a test draws again.
Result<RandomNode> draw_node(Op op, uint32_t seed, const First& first = {});
// The same with whatever decides.
class Random;
Result<RandomNode> draw_node(Op op, Random& random, const First& first = {});

// The first of the seeds from `seed` on that gives a valid node, of which there must be one in a hundred.
// Adds the others to `refused`.
RandomNode valid_node(Op op, uint32_t seed, size_t& refused, const First& first = {});

// A model of this node alone. Fed inputs are its inputs, in their order.
Result<GraphPtr> graph_of(const RandomNode& node);

}  // namespace nnrt::test
