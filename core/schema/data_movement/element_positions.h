// GATHER_ELEMENTS and SCATTER_ELEMENTS: an element of the indices stands for the element of a tensor that has
// the same place in all dimensions but the axis, and along that the place it says (R20).
#pragma once

#include "core/schema/node_view.h"

namespace nnrt {

// Collapsed: neighbouring dimensions beside the axis that the indices have as long as the tensor are one.
struct ElementPositions {
  Shape counts;        // dimensions of the indices
  Strides strides;     // the tensor's, one for each of them
  size_t axis = 0;     // among them
  int64_t length = 1;  // the tensor's along the axis
};

// Input 0 is the tensor and input 1 the indices; their shapes must be static.
Result<ElementPositions> element_positions(const NodeView& node);

}  // namespace nnrt
