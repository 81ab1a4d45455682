#include "core/base/divide_up.h"
#include "core/base/text.h"
#include "core/schema/geometry.h"

#include <algorithm>
#include <limits>

namespace nnrt {
namespace {

// Largest size in the API; products of two sizes, and sums of two such products, fit in 63 bits.
constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

constexpr std::array<std::string_view, 2> kAxisNames{"Height", "Width"};

Status check_size(std::string_view what, int64_t value, int64_t min) {
  if (value >= min && value <= kLargest) return {};
  return invalid(what, " (", value, ") is outside [", min, ", ", kLargest, "].");
}

// Reads an attribute with one value each for height and width, or one for both; `to` is unchanged if it is
// absent.
Status read_pair(const Attrs& attrs, Attr attr, std::string_view what, int64_t min,
                 std::array<int64_t, 2>& to) {
  if (!attrs.has(attr)) return {};
  const std::span<const int64_t> values = attrs.integers(attr);
  to = {values.front(), values.back()};
  for (const int64_t value : to) NNRT_TRY(check_size(what, value, min));
  return {};
}

std::optional<int64_t> pad_mode(const Attrs& attrs) {
  if (!attrs.has(Attr::pad_mode)) return std::nullopt;
  return attrs.integer(Attr::pad_mode);
}
constexpr int64_t kSame = 0;

Status read_pad_list(const Attrs& attrs, SpatialParams& spatial) {
  if (pad_mode(attrs) || !attrs.has(Attr::pad)) return {};
  const std::span<const int64_t> pad = attrs.integers(Attr::pad);
  for (const int64_t value : pad) NNRT_TRY(check_size("Padding", value, 0));
  spatial.before = {pad[0], pad[2]};
  spatial.after = {pad[1], pad[3]};
  return {};
}

Status require_rank_4(std::string_view what, const Shape& shape) {
  if (shape.size() == 4) return {};
  return invalid("The rank of ", what, " (", shape.size(), ") is not 4.");
}

Status read_input_plane(const NodeView& node, SpatialParams& spatial) {
  NNRT_TRY(require_rank_4("the input", node.shape(0)));
  const Layout layout = layout_of(node.format());
  spatial.in = {node.shape(0)[layout.h], node.shape(0)[layout.w]};
  for (const int64_t size : spatial.in)
    if (size != kUnknown) NNRT_TRY(check_size("Input size", size, 1));
  return {};
}

// The weight is [outChannel, height, width, ...], independent of the input's layout.
Status read_weight_plane(const NodeView& node, SpatialParams& spatial) {
  NNRT_TRY(require_rank_4("the weight", node.shape(1)));
  spatial.kernel = {node.shape(1)[1], node.shape(1)[2]};
  for (const int64_t size : spatial.kernel) NNRT_TRY(check_size("Kernel size", size, kUnknown));
  return {};
}

int64_t reach_of(const SpatialParams& spatial, size_t axis) {
  if (spatial.kernel[axis] < 0) return kUnknown;
  return (spatial.kernel[axis] - 1) * spatial.dilation[axis] + 1;
}

void fit_same(SpatialParams& spatial, size_t axis) {
  const int64_t in = spatial.in[axis];
  const int64_t reach = reach_of(spatial, axis);
  int64_t& out = spatial.out[axis];
  out = in < 0 ? kUnknown : divide_up(in, spatial.stride[axis]);
  if (in < 0 || reach < 0) {
    spatial.before[axis] = spatial.after[axis] = kUnknown;
    return;
  }
  const int64_t total = std::max<int64_t>(0, (out - 1) * spatial.stride[axis] + reach - in);
  spatial.before[axis] = total / 2;
  spatial.after[axis] = total - total / 2;
}

Status fit_padded(SpatialParams& spatial, size_t axis, bool ceil) {
  const int64_t in = spatial.in[axis];
  const int64_t reach = reach_of(spatial, axis);
  const int64_t stride = spatial.stride[axis];
  int64_t& out = spatial.out[axis];
  out = kUnknown;
  if (in < 0 || reach < 0) return {};
  const int64_t padded = in + spatial.before[axis] + spatial.after[axis];
  if (reach > padded) {
    return invalid(kAxisNames[axis], " of the kernel (", reach, ") is larger than the padded input (", padded,
                   ").");
  }
  out = (padded - reach) / stride + 1;
  if (ceil && (padded - reach) % stride != 0) ++out;
  if (ceil && (out - 1) * stride >= in + spatial.before[axis]) --out;
  return {};
}

// If the first and the last pooling window overlap the input, so do those in between.
Status require_cells(const SpatialParams& spatial, size_t axis) {
  if (spatial.out[axis] < 0 || spatial.before[axis] < 0) return {};
  const int64_t last = (spatial.out[axis] - 1) * spatial.stride[axis] - spatial.before[axis];
  if (spatial.before[axis] < spatial.kernel[axis] && last < spatial.in[axis]) return {};
  return invalid(kAxisNames[axis], " padding (", spatial.before[axis], ", ", spatial.after[axis],
                 ") leaves a kernel of ", spatial.kernel[axis], " without any cell of the input.");
}

Result<SpatialParams> conv_spatial_params(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  SpatialParams spatial;
  NNRT_TRY(read_input_plane(node, spatial));
  NNRT_TRY(read_weight_plane(node, spatial));
  NNRT_TRY(read_pair(attrs, Attr::stride, "Stride", 1, spatial.stride));
  NNRT_TRY(read_pair(attrs, Attr::dilation, "Dilation", 1, spatial.dilation));
  NNRT_TRY(read_pad_list(attrs, spatial));
  return spatial;
}

Result<SpatialParams> pool_spatial_params(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  SpatialParams spatial;
  NNRT_TRY(read_input_plane(node, spatial));
  if (attrs.has(Attr::global) && attrs.flag(Attr::global)) {
    spatial.kernel = spatial.in;
    spatial.out = {1, 1};
    return spatial;
  }
  if (!attrs.has(Attr::kernel)) return invalid("The kernel size of a pool that is not global is absent.");
  NNRT_TRY(read_pair(attrs, Attr::kernel, "Kernel size", 1, spatial.kernel));
  NNRT_TRY(read_pair(attrs, Attr::stride, "Stride", 1, spatial.stride));
  NNRT_TRY(read_pad_list(attrs, spatial));
  return spatial;
}

Status transpose_fit(SpatialParams& spatial, size_t axis, std::optional<int64_t> mode,
                     int64_t output_padding) {
  const int64_t in = spatial.in[axis];
  const int64_t reach = reach_of(spatial, axis);
  const int64_t stride = spatial.stride[axis];
  const bool known = in >= 0 && reach >= 0;
  const int64_t full = known ? (in - 1) * stride + reach : kUnknown;
  int64_t& out = spatial.out[axis];
  if (mode == kSame) {
    out = in < 0 ? kUnknown : in * stride + output_padding;
    const int64_t total = std::max<int64_t>(0, full - out);
    spatial.before[axis] = known ? total / 2 : kUnknown;
    spatial.after[axis] = known ? total - total / 2 : kUnknown;
    return {};
  }
  out = known ? full - spatial.before[axis] - spatial.after[axis] + output_padding : kUnknown;
  if (!known || out >= 1) return {};
  return invalid(kAxisNames[axis], " of the output (", out, ") is below 1.");
}

}  // namespace

Result<SpatialParams> spatial_params(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  const bool is_pool = node.op() == Op::avg_pool || node.op() == Op::max_pool;
  NNRT_ASSIGN(SpatialParams spatial, is_pool ? pool_spatial_params(node) : conv_spatial_params(node));
  if (is_pool && attrs.has(Attr::global) && attrs.flag(Attr::global)) return spatial;
  const bool ceil = attrs.has(Attr::round_mode) && attrs.integer(Attr::round_mode) == 1;
  for (size_t axis = 0; axis < 2; ++axis) {
    if (pad_mode(attrs) == kSame) {
      fit_same(spatial, axis);
    } else {
      NNRT_TRY(fit_padded(spatial, axis, ceil));
      if (is_pool) NNRT_TRY(require_cells(spatial, axis));
    }
  }
  return spatial;
}

Result<SpatialParams> transposed_spatial_params(const NodeView& node) {
  NNRT_ASSIGN(SpatialParams spatial, conv_spatial_params(node));
  std::array<int64_t, 2> output_padding{};
  NNRT_TRY(read_pair(node.attrs(), Attr::output_padding, "Output padding", 0, output_padding));
  for (size_t axis = 0; axis < 2; ++axis) {
    if (output_padding[axis] >= spatial.stride[axis]) {
      return invalid("Output padding (", output_padding[axis], ") is outside [0, ", spatial.stride[axis],
                     ").");
    }
    NNRT_TRY(transpose_fit(spatial, axis, pad_mode(node.attrs()), output_padding[axis]));
  }
  return spatial;
}

}  // namespace nnrt
