// Window operators on images.
#include "tools/import/tflite/tflite_operators.h"
#include "tools/import/tflite/tflite_windows.h"

#include <algorithm>
#include <cmath>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;
using format::Padding;

Settings pool_settings(const format::Pool2DOptions& options) {
  return {{Attr::kernel, {options.filter_height(), options.filter_width()}},
          {Attr::stride, {options.stride_h(), options.stride_w()}},
          {Attr::pad_mode, options.padding() == Padding::SAME ? 0 : 1}};
}

void pool(Operator& op) {
  const auto& options = op.options<format::Pool2DOptions>();
  const TensorId x = op.operand(0);
  op.write_activated({x}, pool_settings(options), options.activation());
}

// The root of the mean square.
void l2_pool(Operator& op) {
  const auto& options = op.options<format::Pool2DOptions>();
  const TensorId x = op.operand(0), target = op.result();
  const TensorId mean = op.emit(Op::avg_pool, {op.square(x)}, pool_settings(options));
  if (options.activation() == Activation::NONE) return op.build().operation(Op::sqrt, {mean}, {target});
  op.activate(options.activation(), op.sqrt(mean), target);
}

void local_response_normalization(Operator& op) {
  const auto& options = op.options<format::LocalResponseNormalizationOptions>();
  const TensorId x = op.operand(0);
  op.write({x}, {{Attr::radius, options.radius()},
                 {Attr::bias, options.bias()},
                 {Attr::alpha, options.alpha()},
                 {Attr::beta, options.beta()}});
}

// A result of one row or column samples the center of the input, while RESIZE_BILINEAR samples the first.
void resize_to_line(Operator& op, TensorId x, const List<int64_t>& size) {
  const Shape input = op.build().tensor(x).shape;
  if (input[0] < 1 || input[3] < 1)
    op.refuse("resizes to a single row or column, which needs a known batch and channels");
  constexpr int8_t kLinear = 1, kHalfPixel = 0;
  op.write(Op::resize, {x, op.build().vector<int64_t>({input[0], size[0], size[1], input[3]})},
           {{Attr::mode, kLinear}, {Attr::coordinate_mode, kHalfPixel}});
}

void resize_bilinear(Operator& op) {
  const auto& options = op.options<format::ResizeBilinearOptions>();
  const List<int64_t> size = op.integers(1, 2);
  const TensorId x = op.operand(0);
  const Shape input = op.build().tensor(x).shape;
  if (input.size() != 4) op.damaged("needs an image of rank 4");
  const bool is_line = (size[0] == 1 && input[1] != 1) || (size[1] == 1 && input[2] != 1);
  if (options.half_pixel_centers() && is_line) return resize_to_line(op, x, size);
  const int8_t mode = options.align_corners() ? 1 : options.half_pixel_centers() ? 2 : 0;
  op.write({x}, {{Attr::new_height, size[0]}, {Attr::new_width, size[1]}, {Attr::coordinate_mode, mode}});
}

// The nearest input row (or column) for each output row.
List<int32_t> nearest(int32_t from, int32_t to, bool align_corners, bool half_pixel_centers) {
  const float scale = align_corners && to > 1 ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                                              : static_cast<float>(from) / static_cast<float>(to);
  const float offset = half_pixel_centers ? 0.5f : 0.0f;
  List<int32_t> indices;
  for (int32_t i = 0; i < to; ++i) {
    const float at = (static_cast<float>(i) + offset) * scale;
    const float index = align_corners ? std::round(at) : std::floor(at);
    indices.push_back(std::clamp(static_cast<int32_t>(index), 0, from - 1));
  }
  return indices;
}

void resize_nearest_neighbor(Operator& op) {
  constexpr int64_t kMaxPixels = 1 << 16;
  const auto& options = op.options<format::ResizeNearestNeighborOptions>();
  const List<int64_t> size = op.integers(1, 2);
  const Tensor input = op.input_tensor(0);
  if (input.shape.size() != 4) op.damaged("needs an image of rank 4");
  TensorId x = op.input(0);
  Shape shape = input.shape;
  for (size_t d = 1; d <= 2; ++d) {
    if (shape[d] < 1) op.refuse("needs a known height and width of its input");
    if (size[d - 1] < 1 || size[d - 1] > kMaxPixels || shape[d] > kMaxPixels)
      op.damaged("resizes from or to a size (", size[d - 1], ") outside [1, 65536]");
    const auto to = static_cast<int32_t>(size[d - 1]);
    const TensorId indices =
        op.build().vector(nearest(shape[d], to, options.align_corners(), options.half_pixel_centers()));
    const TensorId axis = op.build().scalar(static_cast<int32_t>(d));
    shape[d] = to;
    const TensorId next = d == 2 ? op.result() : op.build().temporary(input.type, shape, input.quantization);
    op.build().operation(Op::gather, {x, indices, axis}, {next});
    x = next;
  }
}

void write_pool(NodeWriter& node) {
  const List<Window> windows = image_windows(node);
  const bool is_max = node.op() == Op::max_pool;
  format::Pool2DOptionsT options;
  const bool is_known = windows[0].out > 0 && windows[1].out > 0;
  if (windows[0].reach < 1 || windows[1].reach < 1 || (node.flag(Attr::round_mode) && !is_known))
    node.refuse("an unknown height or width");
  options.padding = pad_windows(node, windows, is_max ? Fill::lowest : Fill::none);
  options.stride_h = static_cast<int32_t>(windows[0].stride);
  options.stride_w = static_cast<int32_t>(windows[1].stride);
  options.filter_height = static_cast<int32_t>(windows[0].reach);
  options.filter_width = static_cast<int32_t>(windows[1].reach);
  options.activation = node.activation();
  const int32_t x = node.requantized(node.inputs[0], node.outputs[0]);
  if (x != node.inputs[0] && !is_max) node.refuse("different scales");
  node.write(node.code(), options, {x}, node.outputs);
}

void write_lrn(NodeWriter& node) {
  format::LocalResponseNormalizationOptionsT options;
  options.radius = node.option(Attr::radius);
  options.bias = static_cast<float>(node.real(Attr::bias));
  options.alpha = static_cast<float>(node.real(Attr::alpha));
  options.beta = static_cast<float>(node.real(Attr::beta));
  node.write(LOCAL_RESPONSE_NORMALIZATION, options, node.inputs, node.outputs);
}

void write_resize_bilinear(NodeWriter& node) {
  const int64_t mode = node.has(Attr::coordinate_mode) ? node.integer(Attr::coordinate_mode) : 0;
  const List<int64_t> size{node.integer(Attr::new_height), node.integer(Attr::new_width)};
  const Dims from = node.input_shape();
  format::ResizeBilinearOptionsT options;
  options.align_corners = mode == 1;
  options.half_pixel_centers = mode == 2;
  const bool is_line = (size[0] == 1 && from[1] != 1) || (size[1] == 1 && from[2] != 1);
  if (options.half_pixel_centers && is_line) node.refuse("a result of one row or column");
  const int32_t x = node.requantized(node.inputs[0], node.outputs[0]);
  node.write(RESIZE_BILINEAR, options, {x, node.integers32(size)}, node.outputs);
}

// Height and width of images, whose channels may be last or not.
void write_resize(NodeWriter& node) {
  enum Mode : int64_t { nearest_mode, linear };
  enum Coordinates : int64_t { half_pixel, pytorch, symmetric, corners, asymmetric };
  constexpr int64_t kFloor = 2;
  Dims from = node.input_shape(), to = node.output_shape();
  for (const Attr attr : {Attr::scales, Attr::cubic_coefficient, Attr::nearest_mode}) node.use(attr);
  if (from.size() != 4 || std::ranges::any_of(to, [](int64_t size) { return size < 1; }) ||
      from[0] != to[0] || (from[3] != to[3] && from[1] != to[1]))
    node.refuse("other dimensions than height and width, or unknown ones");
  const bool is_last = from[3] == to[3];
  const List<int64_t> to_last{0, 2, 3, 1}, to_first{0, 3, 1, 2};
  const int64_t mode = node.integer(Attr::mode), coordinates = node.integer(Attr::coordinate_mode);
  const size_t h = is_last ? 1 : 2;
  const bool is_multiple = to[h] % from[h] == 0 && to[h + 1] % from[h + 1] == 0;
  const bool is_nearest = mode == nearest_mode && coordinates == asymmetric && is_multiple &&
                          node.view().attrs().integer(Attr::nearest_mode) == kFloor;
  const bool is_line = (to[h] == 1 || to[h + 1] == 1) && !node.has(Attr::scales);
  const bool is_scaled = is_multiple && (coordinates == half_pixel || coordinates == asymmetric);
  const bool is_linear = mode == linear && (is_scaled || (is_line && coordinates == half_pixel));
  if (!is_nearest && !is_linear) node.refuse("this interpolation");
  const int32_t given = node.requantized(node.inputs[0], node.outputs[0]);
  const int32_t x = is_last ? given : node.moved(given, to_last);
  const int32_t size = node.integers32({to[h], to[h + 1]});
  const int32_t target = is_last ? node.outputs[0] : node.like(node.outputs[0], {to[0], to[2], to[3], to[1]});
  if (is_nearest) {
    node.write(RESIZE_NEAREST_NEIGHBOR, format::ResizeNearestNeighborOptionsT(), {x, size}, {target});
  } else {
    format::ResizeBilinearOptionsT options;
    options.half_pixel_centers = coordinates == half_pixel;
    node.write(RESIZE_BILINEAR, options, {x, size}, {target});
  }
  if (!is_last) node.move_to(target, to_first, node.outputs[0]);
}

constexpr Row kPoolingRows[] = {
    {AVERAGE_POOL_2D, 1, 1, Numbers::quantized, pool, Op::avg_pool, write_pool},
    {MAX_POOL_2D, 1, 1, Numbers::quantized, pool, Op::max_pool, write_pool},
    {L2_POOL_2D, 1, 1, Numbers::real, l2_pool},
    {LOCAL_RESPONSE_NORMALIZATION, 1, 1, Numbers::real, local_response_normalization, Op::lrn, write_lrn},
    {RESIZE_BILINEAR, 2, 2, Numbers::quantized, resize_bilinear, Op::resize_bilinear, write_resize_bilinear},
    {RESIZE_NEAREST_NEIGHBOR, 2, 2, Numbers::any, resize_nearest_neighbor},
    written(RESIZE_NEAREST_NEIGHBOR, Op::resize, Numbers::any, write_resize),
};

}  // namespace

std::span<const Row> pooling_rows() { return kPoolingRows; }

}  // namespace nnrt::import::tflite
