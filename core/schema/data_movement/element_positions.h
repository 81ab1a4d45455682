// GATHER_ELEMENTS and SCATTER_ELEMENTS: each index selects the tensor element at its own position, except
// that its value replaces the position along the axis (R20).
#pragma once

#include "core/schema/node_view.h"

namespace nnrt {

// Adjacent dimensions other than the axis are collapsed if indices and tensor have the same length there.
struct ElementPositions {
  Shape counts;        // dimensions of the indices
  Strides strides;     // the tensor's, per dimension of the indices
  size_t axis = 0;     // index in `counts`
  int64_t length = 1;  // the tensor's length along the axis
};

// Input 0 is the tensor and input 1 the indices; shapes must be static.
Result<ElementPositions> element_positions(const NodeView& node);

}  // namespace nnrt
