// Nodes whose shapes make the loops of kernels long, and little else.
#pragma once

#include "tests/support/lowered_node.h"

#include <vector>

namespace nnrt::test {

struct LongNode {
  const char* name;
  LoweredNode node;
  bool depends_on_data = false;  // loops end where a buffer says so

  std::vector<const std::byte*> values() const { return node.values(); }
};

std::vector<LongNode> long_nodes();

}  // namespace nnrt::test
