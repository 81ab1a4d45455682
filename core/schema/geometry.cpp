#include "core/schema/geometry.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace nnrt {

Result<int64_t> normalize_axis(int64_t axis, size_t rank) {
  const int64_t n = int64_t(rank);
  if (axis < -n || axis >= n) return invalid("Axis (", axis, ") is outside [", -n, ", ", n, ").");
  return axis < 0 ? axis + n : axis;
}

Layout layout_of(Format format) {
  return format == Format::nchw ? Layout{.n = 0, .h = 2, .w = 3, .c = 1} : Layout{};
}

size_t channel_axis(const NodeView& node) {
  const size_t rank = node.shape(0).size();
  if (node.format() == Format::nchw && rank >= 3) return 1;
  return rank == 0 ? 0 : rank - 1;
}

Shape with_dimension(Shape shape) { return shape.empty() ? Shape{1} : std::move(shape); }

Result<std::vector<size_t>> reduced_axes(const NodeView& node) {
  const std::optional<std::vector<int64_t>> given = node.integers(1);
  if (!given) return Error{Code::failed, "The axes of a reduction are not known."};
  const Attrs& attrs = node.attrs();
  const size_t rank = node.shape(0).size();
  const bool to_end = attrs.has(Attr::reduce_to_end) && attrs.flag(Attr::reduce_to_end);
  std::vector<bool> reduced(std::max<size_t>(rank, 1), given->empty());
  for (const int64_t value : *given) {
    NNRT_ASSIGN(const int64_t axis, normalize_axis(value, reduced.size()));
    reduced[size_t(axis)] = true;
    if (to_end) {
      std::fill(reduced.begin() + axis, reduced.end(), true);
      break;
    }
  }
  // A scalar may be reduced over axis 0 like [1] (R6), but has no dimension to list.
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (reduced[axis]) axes.push_back(axis);
  }
  return axes;
}

std::vector<Tap> resize_taps(int64_t in, int64_t out, int64_t coordinate_mode) {
  constexpr int64_t kAlignCorners = 1;
  constexpr int64_t kHalfPixel = 2;
  const double scale = double(in) / double(out);
  std::vector<Tap> taps;
  taps.reserve(size_t(out));
  for (int64_t i = 0; i < out; ++i) {
    double at = double(i) * scale;
    if (coordinate_mode == kAlignCorners) at = out == 1 ? 0 : double(i) * double(in - 1) / double(out - 1);
    if (coordinate_mode == kHalfPixel) at = out == 1 ? 0 : (double(i) + 0.5) * scale - 0.5;
    at = std::clamp(at, 0.0, double(in - 1));
    const int64_t low = int64_t(std::floor(at));
    taps.push_back({low, std::min(low + 1, in - 1), float(at - double(low))});
  }
  return taps;
}

}  // namespace nnrt
