// Tells the schema of a graph in memory: tables of the schema before 1.1 have other numbers and fields, and
// nothing marks them.
#pragma once

#include <cstddef>
#include <span>

namespace nnrt::mindspore {

struct NodeForm {
  int number = 0;  // of the primitive
  size_t inputs = 0;
  size_t ids = 0;  // of the primitive's table
  // Whether all offsets of the table are plausible if it is read by that schema.
  bool is_sound_if_old = true, is_sound_if_new = true;
};

// Whether the nodes fit the old schema better, by their counts of inputs and fields and by their offsets.
// `is_old_version` decides a draw.
bool has_old_numbers(std::span<const NodeForm> nodes, bool is_old_version);

}  // namespace nnrt::mindspore
