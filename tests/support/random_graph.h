// Small graphs of random nodes that read each other's results.
#pragma once

#include "core/graph.h"

#include <string>
#include <vector>

namespace nnrt::test {

struct RandomGraph {
  GraphPtr graph;
  std::vector<Bytes> fed;  // the contents of its inputs
  double scale = 1;        // the largest magnitude of the real numbers that go in
  std::string description;
};

// Five to twenty nodes that move, choose, or compute without leaps, so that small differences stay small.
RandomGraph draw_graph(uint32_t seed);

}  // namespace nnrt::test
