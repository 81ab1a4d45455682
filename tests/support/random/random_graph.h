// Small graphs of random nodes that read each other's results.
#pragma once

#include "core/graph/graph.h"

#include <string>
#include <vector>

namespace nnrt::test {

struct RandomGraph {
  GraphPtr graph;
  std::vector<Bytes> fed;  // contents of its inputs
  double scale = 1;        // largest magnitude of the float inputs
  std::string description;
};

// Operators that move or select elements, or compute continuous functions.
const std::vector<Op>& calm_operators();
// Returns whether a node of this operator can read the tensor as its first input.
bool can_read(Op calm, const Tensor& first);

// Five to twenty nodes of calm operators, so that small differences stay small. `some`: one node in four is
// followed by an identity that only changes the format.
enum class Identities : uint8_t { none, some };
RandomGraph draw_graph(uint32_t seed, Identities identities = Identities::some);

}  // namespace nnrt::test
