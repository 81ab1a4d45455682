#include "tools/import/tflite/tflite_windows.h"

#include "core/schema/geometry.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace nnrt::import::tflite {
namespace {

using format::Padding;

bool is_known(const Window& window) { return window.in >= 0 && window.out >= 0 && window.reach >= 0; }

// What the windows read beyond the end, which is less than the padding or, if the size is rounded up, more.
int64_t needed_after(const Window& window) {
  return std::max<int64_t>((window.out - 1) * window.stride + window.reach - window.in - window.before, 0);
}

bool is_same(const Window& window) {
  if (!is_known(window)) return window.before < 0;
  const int64_t total = std::max<int64_t>((window.out - 1) * window.stride + window.reach - window.in, 0);
  return window.out == (window.in + window.stride - 1) / window.stride && window.before == total / 2 &&
         window.after == total - total / 2;
}

bool is_valid(const Window& window) { return window.before == 0 && window.after == 0; }

int32_t lowest(const NodeWriter& node) {
  const format::TensorT& x = node.tensor(node.inputs[0]);
  const float real = std::numeric_limits<float>::lowest();
  const int8_t code = -128;
  const bool is_int8 = x.type == format::TensorType::INT8;
  return node.constant(x, {1},
                       is_int8 ? std::as_bytes(std::span(&code, 1)) : std::as_bytes(std::span(&real, 1)));
}

}  // namespace

Padding pad_windows(NodeWriter& node, List<Window> windows, Fill fill) {
  for (Window& window : windows)
    if (is_known(window)) window.after = needed_after(window);
  if (std::ranges::all_of(windows, is_valid)) return Padding::VALID;
  if (std::ranges::all_of(windows, is_same)) return Padding::SAME;
  if (fill == Fill::none || !std::ranges::all_of(windows, is_known))
    node.refuse("padding that is neither SAME nor VALID");
  Dims shape = node.input_shape();
  List<int64_t> paddings{0, 0};
  for (size_t d = 0; d < windows.size(); ++d) {
    paddings.insert(paddings.end(), {windows[d].before, windows[d].after});
    shape[d + 1] += windows[d].before + windows[d].after;
    if (!std::in_range<int32_t>(shape[d + 1])) node.refuse("so much padding");
  }
  paddings.insert(paddings.end(), {0, 0});
  const int32_t list = node.integers32(paddings);
  node.tensor(list).shape = {static_cast<int32_t>(shape.size()), 2};
  node.inputs[0] = fill == Fill::zeros
                       ? node.derive(BuiltinOperator::PAD, {node.inputs[0], list}, shape)
                       : node.derive(BuiltinOperator::PADV2, {node.inputs[0], list, lowest(node)}, shape);
  return Padding::VALID;
}

List<Window> image_windows(NodeWriter& node) {
  for (const Attr attr : {Attr::kernel, Attr::stride, Attr::dilation, Attr::pad, Attr::pad_mode,
                          Attr::round_mode, Attr::global})
    node.use(attr);
  const SpatialParams spatial = required(spatial_params(node.view()));
  List<Window> windows;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t reach = spatial.kernel[d] < 0 ? -1 : (spatial.kernel[d] - 1) * spatial.dilation[d] + 1;
    windows.push_back(
        {spatial.in[d], reach, spatial.stride[d], spatial.before[d], spatial.after[d], spatial.out[d]});
  }
  return windows;
}

}  // namespace nnrt::import::tflite
