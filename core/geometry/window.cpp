#include "core/geometry.h"
#include "core/text.h"

#include <algorithm>
#include <limits>

namespace nnrt {
namespace {

// Sizes that the API can declare; products of two of them, and sums of two such products, fit in 63 bits.
constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

constexpr std::array<std::string_view, 2> kAxisNames{"Height", "Width"};

Status check_size(std::string_view what, int64_t value, int64_t least) {
  if (value >= least && value <= kLargest) return {};
  return invalid(what, " (", value, ") is outside [", least, ", ", kLargest, "].");
}

// An attribute with a value for height and one for width, or one for both; `to` stays if it is absent.
Status read_pair(const Attrs& attrs, Attr attr, std::string_view what, int64_t least,
                 std::array<int64_t, 2>& to) {
  if (!attrs.has(attr)) return {};
  const std::span<const int64_t> values = attrs.integers(attr);
  to = {values.front(), values.back()};
  for (const int64_t value : to) NNRT_TRY(check_size(what, value, least));
  return {};
}

std::optional<int64_t> pad_mode(const Attrs& attrs) {
  if (!attrs.has(Attr::pad_mode)) return std::nullopt;
  return attrs.integer(Attr::pad_mode);
}
constexpr int64_t kSame = 0;

Status read_pad_list(const Attrs& attrs, Window& window) {
  if (pad_mode(attrs) || !attrs.has(Attr::pad)) return {};
  const std::span<const int64_t> pad = attrs.integers(Attr::pad);
  for (const int64_t value : pad) NNRT_TRY(check_size("Padding", value, 0));
  window.before = {pad[0], pad[2]};
  window.after = {pad[1], pad[3]};
  return {};
}

Status require_rank_4(std::string_view what, const Shape& shape) {
  if (shape.size() == 4) return {};
  return invalid("The rank of ", what, " (", shape.size(), ") is not 4.");
}

Status read_input_plane(const NodeView& node, Window& window) {
  NNRT_TRY(require_rank_4("the input", node.shape(0)));
  const Layout layout = layout_of(node.input(0).format);
  window.in = {node.shape(0)[layout.h], node.shape(0)[layout.w]};
  for (const int64_t size : window.in) NNRT_TRY(check_size("Input size", size, kUnknown));
  return {};
}

// The weight is [outChannel, height, width, ...] whatever the layout of the input.
Status read_weight_plane(const NodeView& node, Window& window) {
  NNRT_TRY(require_rank_4("the weight", node.shape(1)));
  window.kernel = {node.shape(1)[1], node.shape(1)[2]};
  for (const int64_t size : window.kernel) NNRT_TRY(check_size("Kernel size", size, kUnknown));
  return {};
}

int64_t reach_of(const Window& window, size_t axis) {
  if (window.kernel[axis] < 0) return kUnknown;
  return (window.kernel[axis] - 1) * window.dilation[axis] + 1;
}

void fit_same(Window& window, size_t axis) {
  const int64_t in = window.in[axis];
  const int64_t reach = reach_of(window, axis);
  int64_t& out = window.out[axis];
  out = in < 0 ? kUnknown : (in - 1) / window.stride[axis] + 1;
  if (in < 0 || reach < 0) {
    window.before[axis] = window.after[axis] = kUnknown;
    return;
  }
  const int64_t total = std::max<int64_t>(0, (out - 1) * window.stride[axis] + reach - in);
  window.before[axis] = total / 2;
  window.after[axis] = total - total / 2;
}

Status fit_padded(Window& window, size_t axis, bool ceil) {
  const int64_t in = window.in[axis];
  const int64_t reach = reach_of(window, axis);
  const int64_t stride = window.stride[axis];
  int64_t& out = window.out[axis];
  out = kUnknown;
  if (in < 0 || reach < 0) return {};
  const int64_t padded = in + window.before[axis] + window.after[axis];
  if (reach > padded) {
    return invalid(kAxisNames[axis], " of the window (", reach, ") is larger than the padded input (", padded,
                   ").");
  }
  out = (padded - reach) / stride + 1;
  if (ceil && (padded - reach) % stride != 0) ++out;
  if (ceil && (out - 1) * stride >= in + window.before[axis]) --out;
  return {};
}

// The windows of a pool between the first and the last reach into the input if those two do.
Status require_cells(const Window& window, size_t axis) {
  if (window.out[axis] < 0 || window.before[axis] < 0) return {};
  const int64_t last = (window.out[axis] - 1) * window.stride[axis] - window.before[axis];
  if (window.before[axis] < window.kernel[axis] && last < window.in[axis]) return {};
  return invalid(kAxisNames[axis], " padding (", window.before[axis], ", ", window.after[axis],
                 ") leaves a window of ", window.kernel[axis], " without any cell of the input.");
}

Result<Window> conv_window(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  Window window;
  NNRT_TRY(read_input_plane(node, window));
  NNRT_TRY(read_weight_plane(node, window));
  NNRT_TRY(read_pair(attrs, Attr::stride, "Stride", 1, window.stride));
  NNRT_TRY(read_pair(attrs, Attr::dilation, "Dilation", 1, window.dilation));
  NNRT_TRY(read_pad_list(attrs, window));
  return window;
}

Result<Window> pool_window(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  Window window;
  NNRT_TRY(read_input_plane(node, window));
  if (attrs.has(Attr::global) && attrs.flag(Attr::global)) {
    window.kernel = window.in;
    window.out = {1, 1};
    return window;
  }
  if (!attrs.has(Attr::kernel)) return invalid("The kernel size of a pool that is not global is absent.");
  NNRT_TRY(read_pair(attrs, Attr::kernel, "Kernel size", 1, window.kernel));
  NNRT_TRY(read_pair(attrs, Attr::stride, "Stride", 1, window.stride));
  NNRT_TRY(read_pad_list(attrs, window));
  return window;
}

Status transpose_fit(Window& window, size_t axis, std::optional<int64_t> mode, int64_t output_padding) {
  const int64_t in = window.in[axis];
  const int64_t reach = reach_of(window, axis);
  const int64_t stride = window.stride[axis];
  const bool known = in >= 0 && reach >= 0;
  const int64_t full = known ? (in - 1) * stride + reach : kUnknown;
  int64_t& out = window.out[axis];
  if (mode == kSame) {
    out = in < 0 ? kUnknown : in * stride + output_padding;
    const int64_t total = std::max<int64_t>(0, full - out);
    window.before[axis] = known ? total / 2 : kUnknown;
    window.after[axis] = known ? total - total / 2 : kUnknown;
    return {};
  }
  out = known ? full - window.before[axis] - window.after[axis] + output_padding : kUnknown;
  if (!known || out >= 1) return {};
  return invalid(kAxisNames[axis], " of the output (", out, ") is below 1.");
}

}  // namespace

Result<Window> window_of(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  const bool is_pool = node.op() == Op::avg_pool || node.op() == Op::max_pool;
  NNRT_ASSIGN(Window window, is_pool ? pool_window(node) : conv_window(node));
  if (is_pool && attrs.has(Attr::global) && attrs.flag(Attr::global)) return window;
  const bool ceil = attrs.has(Attr::round_mode) && attrs.integer(Attr::round_mode) == 1;
  for (size_t axis = 0; axis < 2; ++axis) {
    if (pad_mode(attrs) == kSame) {
      fit_same(window, axis);
    } else {
      NNRT_TRY(fit_padded(window, axis, ceil));
      if (is_pool) NNRT_TRY(require_cells(window, axis));
    }
  }
  return window;
}

Result<Window> transposed_window_of(const NodeView& node) {
  NNRT_ASSIGN(Window window, conv_window(node));
  std::array<int64_t, 2> output_padding{};
  NNRT_TRY(read_pair(node.attrs(), Attr::output_padding, "Output padding", 0, output_padding));
  for (size_t axis = 0; axis < 2; ++axis) {
    if (output_padding[axis] >= window.stride[axis]) {
      return invalid("Output padding (", output_padding[axis], ") is outside [0, ", window.stride[axis],
                     ").");
    }
    NNRT_TRY(transpose_fit(window, axis, pad_mode(node.attrs()), output_padding[axis]));
  }
  return window;
}

}  // namespace nnrt
