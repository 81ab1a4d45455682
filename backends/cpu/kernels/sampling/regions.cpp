#include "backends/cpu/kernels/sampling/regions.h"

#include "core/base/text.h"

namespace nnrt::cpu {

std::array<float, 2> region_strides(const Attrs& attrs) {
  if (!attrs.has(Attr::stride)) return {1, 1};
  const std::span<const double> strides = attrs.floats(Attr::stride);
  return {float(strides.front()), float(strides.back())};
}

Status check_regions(const NodeView& node, std::span<const float> regions,
                     std::span<const int64_t> batch_indices, std::array<float, 2> scale) {
  const std::array<float, 2> stride = region_strides(node.attrs());
  const Shape& shape = node.shape();
  for (size_t i = 0; i < batch_indices.size(); ++i) {
    if (batch_indices[i] < 0 || batch_indices[i] >= shape[0])
      return invalid("Batch index (", batch_indices[i], ") of region ", i, " is outside [0, ", shape[0],
                     ").");
    for (size_t axis = 0; axis < 2; ++axis) {
      const size_t first = 4 * i + 1 - axis;  // y1, x1
      const float from = regions[first] * scale[axis] / stride[axis];
      const float to = regions[first + 2] * scale[axis] / stride[axis];
      const int64_t length = shape[1 + axis];
      if (from >= 0 && from <= to && to <= float(length)) continue;
      return invalid(axis == 0 ? "Rows" : "Columns", " of region ", i, " (", from, " to ", to,
                     ") are not within [0, ", length, "] or are inverted.");
    }
  }
  return {};
}

}  // namespace nnrt::cpu
