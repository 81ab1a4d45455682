// Small graphs of random nodes that read each other's results.
#pragma once

#include "core/graph/graph.h"

#include <string>
#include <vector>

namespace nnrt::test {

struct RandomGraph {
  GraphPtr graph;
  std::vector<Bytes> fed;  // the contents of its inputs
  double scale = 1;        // the largest magnitude of the floats that go in
  std::string description;
};

// Operators that move, choose, or compute without leaps.
const std::vector<Op>& calm_operators();
// Returns whether a node of one of these can be drawn that reads the tensor first.
bool can_read(Op calm, const Tensor& first);

// Five to twenty nodes that move, choose, or compute without leaps, so that small differences stay small.
// `some`: with nodes that do nothing but to give what they read another format, behind one in four.
enum class Identities : uint8_t { none, some };
RandomGraph draw_graph(uint32_t seed, Identities identities = Identities::some);

}  // namespace nnrt::test
