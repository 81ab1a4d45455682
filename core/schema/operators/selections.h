// Results that depend on input contents: inference counts the elements, the kernel writes them.
#pragma once

#include "core/schema/node_view.h"

#include <array>
#include <optional>
#include <vector>

namespace nnrt {

// NON_ZERO: the nonzero elements of input 0 in C order.
std::vector<int64_t> non_zero_elements(const NodeView& node);

// UNIQUE: for each different slice the index of the first one and their number, and for each slice the index
// of its equal.
struct UniqueSlices {
  std::vector<int64_t> first, counts, inverse;
};
UniqueSlices unique_slices(const NodeView& node);

// NON_MAX_SUPPRESSION: image, class and box of each output row.
using SelectedBox = std::array<int64_t, 3>;
std::vector<SelectedBox> selected_boxes(const NodeView& node);

// RANGE: start + i * delta for i below `count`. Floats if start, limit and delta are FLOAT inputs.
struct Progression {
  int64_t count = 0;
  uint64_t start = 0, delta = 0;  // as INT64, so that all differences fit
  double real_start = 0, real_delta = 0;
  bool is_real = false;
};
// Empty if the numbers are not known.
Result<std::optional<Progression>> progression(const NodeView& node);

// TRILU: the parameter, or input 1, which must be known.
int64_t triangle_diagonal(const NodeView& node);

}  // namespace nnrt
