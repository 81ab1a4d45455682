// Tells the schema of a graph in memory: tables of the schema before 1.1 have other numbers and fields, and
// nothing marks them.
#pragma once

#include <cstddef>
#include <span>

namespace nnrt::mindspore {

struct NodeForm {
  int number = 0;  // of the primitive
  size_t inputs = 0;
};

// Whether the numbers of inputs fit the old schema better.
bool has_old_numbers(std::span<const NodeForm> nodes);

}  // namespace nnrt::mindspore
