#include "core/schema/spatial_axes.h"

#include "core/base/text.h"
#include "core/schema/geometry.h"

#include <algorithm>
#include <limits>

namespace nnrt {
namespace {

// Largest size in the API; products of two sizes, and sums of two such products, fit in 63 bits.
constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

Status check_size(std::string_view what, int64_t value, int64_t min) {
  if (value >= min && value <= kLargest) return {};
  return invalid(what, " (", value, ") is outside [", min, ", ", kLargest, "].");
}

// Reads an attribute with `each` values per axis; if it is absent the axes keep their values.
template <typename Set>
Status read(const Attrs& attrs, Attr attr, std::string_view what, size_t each, int64_t min,
            std::vector<SpatialAxis>& axes, Set set) {
  if (!attrs.has(attr)) return {};
  const std::span<const int64_t> values = attrs.integers(attr);
  if (values.size() != each * axes.size()) {
    return invalid("The number of values of ", what, " (", values.size(), ") is not ", each * axes.size(),
                   ".");
  }
  for (size_t i = 0; i < values.size(); ++i) {
    NNRT_TRY(check_size(what, values[i], min));
    set(axes[i / each], i % each, values[i]);
  }
  return {};
}

Status read_attributes(const Attrs& attrs, Attr kernel, std::vector<SpatialAxis>& axes) {
  NNRT_TRY(read(attrs, kernel, "Kernel size", 1, 1, axes,
                [](SpatialAxis& axis, size_t, int64_t value) { axis.kernel = value; }));
  NNRT_TRY(read(attrs, Attr::stride, "Stride", 1, 1, axes,
                [](SpatialAxis& axis, size_t, int64_t value) { axis.stride = value; }));
  NNRT_TRY(read(attrs, Attr::dilation, "Dilation", 1, 1, axes,
                [](SpatialAxis& axis, size_t, int64_t value) { axis.dilation = value; }));
  return read(attrs, Attr::pad, "Padding", 2, 0, axes, [](SpatialAxis& axis, size_t side, int64_t value) {
    (side == 0 ? axis.before : axis.after) = value;
  });
}

// The last window starts inside the input or the leading padding (R17).
Status fit(SpatialAxis& axis, bool rounds_up) {
  axis.out = kUnknown;
  if (axis.in < 0 || axis.kernel < 0) return {};
  const int64_t padded = axis.in + axis.before + axis.after;
  if (axis.reach() > padded) {
    return invalid("The kernel along dimension ", axis.dimension, " (", axis.reach(),
                   ") is larger than the padded input (", padded, ").");
  }
  axis.out = (padded - axis.reach()) / axis.stride + 1;
  if (!rounds_up) return {};
  if ((padded - axis.reach()) % axis.stride != 0) ++axis.out;
  if ((axis.out - 1) * axis.stride >= axis.in + axis.before) --axis.out;
  return {};
}

// A pooling window must not contain only padding.
Status check_reaches_input(const SpatialAxis& axis) {
  if (axis.before < axis.reach() && axis.after < axis.reach()) return {};
  return invalid("Padding (", axis.before, ", ", axis.after, ") along dimension ", axis.dimension,
                 " is not below the kernel's reach (", axis.reach(), ").");
}

}  // namespace

std::vector<size_t> spatial_dimensions(const NodeView& node) {
  std::vector<size_t> dimensions;
  const size_t channel = channel_axis(node);
  for (size_t d = 1; d < node.shape(0).size(); ++d) {
    if (d != channel) dimensions.push_back(d);
  }
  return dimensions;
}

Result<std::vector<SpatialAxis>> spatial_axes(const NodeView& node) {
  std::vector<SpatialAxis> axes;
  const bool is_conv = node.op() == Op::conv3d;
  for (const size_t d : spatial_dimensions(node)) {
    SpatialAxis axis{.dimension = d, .in = node.shape(0)[d]};
    if (axis.in == 0) return invalid("Dimension ", d, " of the input is 0, so its windows are empty.");
    if (is_conv) axis.kernel = node.shape(1)[1 + axes.size()];
    axes.push_back(axis);
  }
  NNRT_TRY(read_attributes(node.attrs(), Attr::kernel, axes));
  const bool rounds_up = !is_conv && node.attrs().integer(Attr::round_mode) == 1;
  for (SpatialAxis& axis : axes) {
    NNRT_TRY(fit(axis, rounds_up));
    if (!is_conv) NNRT_TRY(check_reaches_input(axis));
  }
  return axes;
}

Spatial3d spatial_3d_of(const NodeView& node, std::span<const SpatialAxis> axes) {
  Spatial3d spatial;
  const Shape& shape = node.shape(0);
  const size_t channel = channel_axis(node);
  spatial.outer = shape[0];
  (channel == 1 && shape.size() > 2 ? spatial.outer : spatial.inner) *= shape[channel];
  spatial.axes.fill({.in = 1, .out = 1});
  std::ranges::copy(axes, spatial.axes.end() - std::ptrdiff_t(axes.size()));
  return spatial;
}

AxisTaps taps_of(const SpatialAxis& axis, int64_t out) {
  AxisTaps taps{.origin = out * axis.stride - axis.before};
  const auto taps_before = [&](int64_t cell) {
    return cell <= taps.origin
               ? 0
               : std::min((cell - taps.origin + axis.dilation - 1) / axis.dilation, axis.kernel);
  };
  taps.begin = taps_before(0);
  taps.end = taps_before(axis.in);
  taps.padded = taps_before(axis.in + axis.after);
  return taps;
}

Result<std::vector<SpatialAxis>> image_axes(const NodeView& node) {
  const std::optional<std::vector<int64_t>> sizes = node.integers(1);
  if (!sizes) return Error{Code::failed, "The size of the image is not known."};
  std::vector<SpatialAxis> axes;
  for (const int64_t size : *sizes) {
    NNRT_TRY(check_size("A size of the image", size, 1));
    axes.push_back({.dimension = 2 + axes.size(), .in = size});
  }
  NNRT_TRY(read_attributes(node.attrs(), Attr::block, axes));
  for (SpatialAxis& axis : axes) NNRT_TRY(fit(axis, false));
  return axes;
}

}  // namespace nnrt
