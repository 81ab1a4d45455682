// Selections that depend on input contents: inference counts the selected elements, the kernel writes them.
#pragma once

#include "core/schema/node_view.h"

#include <array>
#include <vector>

namespace nnrt {

// NON_ZERO: the nonzero elements of input 0 in C order.
std::vector<int64_t> non_zero_elements(const NodeView& node);

// NON_MAX_SUPPRESSION: image, class and box of each output row.
using SelectedBox = std::array<int64_t, 3>;
std::vector<SelectedBox> selected_boxes(const NodeView& node);

}  // namespace nnrt
