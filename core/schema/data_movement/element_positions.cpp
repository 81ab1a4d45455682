#include "core/schema/data_movement/element_positions.h"

#include "core/schema/geometry.h"

namespace nnrt {
namespace {

// A scalar operand counts as [1] (R6).
Shape at_least_vector(const Shape& shape) { return shape.empty() ? Shape{1} : shape; }

}  // namespace

Result<ElementPositions> element_positions(const NodeView& node) {
  const Shape shape = at_least_vector(node.shape(0)), counts = at_least_vector(node.shape(1));
  const Strides strides = strides_of(shape);
  NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), shape.size()));
  ElementPositions positions;
  positions.length = shape[size_t(axis)];
  bool is_joined = false;  // the previous dimension can be merged with this one
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool is_axis = int64_t(d) == axis;
    if (is_joined && !is_axis && counts[d] == shape[d]) {
      positions.counts.back() *= counts[d];
      positions.strides.back() = strides[d];
      continue;
    }
    if (is_axis) positions.axis = positions.counts.size();
    positions.counts.push_back(counts[d]);
    positions.strides.push_back(strides[d]);
    is_joined = !is_axis;
  }
  return positions;
}

}  // namespace nnrt
