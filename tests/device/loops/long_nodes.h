// Nodes with shapes that make the kernels' loops long but little else.
#pragma once

#include "tests/support/lowered_node.h"

#include <vector>

namespace nnrt::test {

struct LongNode {
  const char* name;
  LoweredNode node;
  bool depends_on_data = false;  // loop bounds come from a buffer

  std::vector<const std::byte*> values() const { return node.values(); }
};

std::vector<LongNode> long_nodes();

}  // namespace nnrt::test
