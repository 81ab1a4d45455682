#include "backends/cpu/kernels/reduction/reduction_groups.h"

#include <algorithm>

namespace nnrt::cpu {

Groups groups_of(const Shape& shape, std::span<const size_t> reduced_axes) {
  const Strides strides = strides_of(shape);
  Shape kept, reduced;
  Strides kept_strides, reduced_strides;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const bool is_reduced = std::ranges::find(reduced_axes, axis) != reduced_axes.end();
    (is_reduced ? reduced : kept).push_back(shape[axis]);
    (is_reduced ? reduced_strides : kept_strides).push_back(strides[axis]);
  }
  return {collapse(kept, std::span(&kept_strides, 1)), collapse(reduced, std::span(&reduced_strides, 1)),
          product(kept, 0, kept.size()), product(reduced, 0, reduced.size())};
}

}  // namespace nnrt::cpu
