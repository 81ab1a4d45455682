// Selections by the contents of inputs: inference counts what an operator selects, and its kernel writes it.
#pragma once

#include "core/schema/node_view.h"

#include <array>
#include <vector>

namespace nnrt {

// NON_ZERO: the elements of input 0 that are not zero, counted in C order.
std::vector<int64_t> non_zero_elements(const NodeView& node);

// NON_MAX_SUPPRESSION: picture, class and box of each row of the result.
using SelectedBox = std::array<int64_t, 3>;
std::vector<SelectedBox> selected_boxes(const NodeView& node);

}  // namespace nnrt
