// MediaPipe's custom window operators. Their options are C structs.
#include "tools/import/tflite/formulas/tflite_custom_options.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::tflite {
namespace {

constexpr int32_t kSame = 1, kValid = 2;  // padding codes in these structs
constexpr int32_t kMaxSize = 1 << 16;

// Pairs are (height, width).
struct Neighbourhood {
  int32_t padding = 0;
  int64_t strides[2] = {0, 0}, filter[2] = {1, 1};
  Activation activation = Activation::NONE;
};

void check_neighbourhood(const Operator& op, const Neighbourhood& it) {
  const auto is_bad = [](int64_t size) { return size < 1 || size > kMaxSize; };
  if (it.padding != kSame && it.padding != kValid) op.damaged("has an unknown padding");
  if (std::ranges::any_of(it.strides, is_bad) || std::ranges::any_of(it.filter, is_bad))
    op.damaged("has strides or a filter outside [1, 65536]");
}

// The output is the full transposed convolution minus the padding at both ends.
void transpose_conv_bias(Operator& op) {
  const List<int32_t> options = structure_options(op, 3);
  const Neighbourhood it{.padding = options[0], .strides = {options[2], options[1]}};
  check_neighbourhood(op, it);
  const TensorId x = op.operand(0), weight = op.operand(1), bias = op.operand(2);
  if (op.rank(x) != 4 || op.rank(weight) != 4) op.damaged("needs an image and filters of rank 4");
  List<int64_t> pads;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t size = op.length(x, d + 1), filter = op.length(weight, d + 1);
    const int64_t cut =
        it.padding == kValid ? 0 : std::max<int64_t>(filter - (size - 1) % it.strides[d] - 1, 0);
    pads.insert(pads.end(), {cut / 2, cut - cut / 2});
  }
  op.write_to(op.result(), Op::conv2d_transpose, {x, weight, bias},
              {{Attr::stride, it.strides}, {Attr::pad, pads}});
}

Neighbourhood pool_of(const Operator& op) {
  const List<int32_t> options = structure_options(op, 6);
  const Neighbourhood it{.padding = options[0],
                         .strides = {options[2], options[1]},
                         .filter = {options[4], options[3]},
                         .activation = static_cast<Activation>(std::clamp(options[5], 0, 127))};
  check_neighbourhood(op, it);
  constexpr int64_t kMaxCells = 256;
  if (it.filter[0] * it.filter[1] > kMaxCells) op.refuse("has a filter of more than 256 cells");
  return it;
}

// The elements at each position of their windows, [batch, height, width, channels] each.
List<TensorId> cells_of(Operator& op, TensorId x, const Neighbourhood& it) {
  int64_t reach[2], before[2], after[2];
  for (size_t d = 0; d < 2; ++d) {
    const int64_t size = op.length(x, d + 1), stride = it.strides[d], filter = it.filter[d];
    const int64_t count =
        it.padding == kSame ? (size + stride - 1) / stride : (size - filter + stride) / stride;
    reach[d] = (count - 1) * stride + 1;
    before[d] = std::max<int64_t>((reach[d] + filter - 1 - size) / 2, 0);
    after[d] = std::max<int64_t>(reach[d] + filter - 1 - size - before[d], 0);
  }
  const TensorId edges = op.build().constant<int64_t>(
      {4, 2}, List<int64_t>{0, 0, before[0], after[0], before[1], after[1], 0, 0});
  const TensorId padded =
      op.emit(Op::pad, {x, edges}, {{Attr::constant_value, std::numeric_limits<float>::lowest()}});
  List<TensorId> cells;
  for (int64_t y = 0; y < it.filter[0]; ++y) {
    const TensorId rows = op.slice(padded, 1, y, y + reach[0], it.strides[0]);
    for (int64_t column = 0; column < it.filter[1]; ++column)
      cells.push_back(op.slice(rows, 2, column, column + reach[1], it.strides[1]));
  }
  return cells;
}

// The maximum of each window, and the index of the first cell that has it, plus 0.1 for safe truncation.
void max_pool_with_argmax(Operator& op) {
  const Neighbourhood it = pool_of(op);
  if (op.output_count() != 2) op.damaged("needs two outputs");
  const TensorId x = op.operand(0);
  if (op.rank(x) != 4) op.damaged("needs an image of rank 4");
  const List<TensorId> cells = cells_of(op, x, it);
  const TensorId all =
      cells.size() == 1 ? op.unsqueeze(cells[0], {0}) : op.emit(Op::stack, cells, {{Attr::axis, 0}});
  const TensorId places = op.emit(Op::arg_max, {all}, {{Attr::axis, 0}}, {.dtypes = {DType::i32}});
  op.write_to(op.result(1), Op::add, {op.cast(places, DType::f32), op.number(DType::f32, 0.1)});
  const TensorId target = op.result(0);
  const bool is_activated = it.activation != Activation::NONE;
  const TensorId largest = is_activated ? op.build().temporary_like(target) : target;
  op.write_to(
      largest, Op::max_pool, {x},
      {{Attr::kernel, it.filter}, {Attr::stride, it.strides}, {Attr::pad_mode, it.padding == kSame ? 0 : 1}});
  if (is_activated) op.activate(it.activation, largest, target);
}

// Each element goes to the window cell its index selects; the others are 0.
void max_unpool(Operator& op) {
  const Neighbourhood it = pool_of(op);
  if (!std::ranges::equal(it.strides, it.filter)) op.refuse("has windows that overlap or leave gaps");
  const TensorId x = op.operand(0), given = op.operand(1);
  if (op.rank(x) != 4) op.damaged("needs an image of rank 4");
  const int64_t height = op.length(x, 1), width = op.length(x, 2), channels = op.length(x, 3);
  const int64_t rows = it.filter[0], columns = it.filter[1];
  List<int32_t> numbers(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i);
  const TensorId places = op.build().constant<int32_t>({static_cast<int32_t>(rows * columns), 1}, numbers);
  const TensorId is_there = op.equal(op.unsqueeze(op.cast(given, DType::i32), {3}), places);
  const TensorId cells = op.where(is_there, op.unsqueeze(x, {3}), op.number(x, 0));
  const TensorId grid = op.reshape(cells, {-1, height, width, rows, columns, channels});
  const List<int64_t> shape{-1, height * rows, width * columns, channels};
  op.write_to(op.result(), Op::reshape, {op.transpose(grid, {0, 1, 3, 2, 4, 5}), op.build().vector(shape)});
}

// Interpolated image pixels at (column, row) coordinates; 0 outside the image.
void resampler(Operator& op) {
  const TensorId image = op.operand(0), places = op.operand(1);
  if (op.rank(image) != 4 || op.rank(places) != 4) op.damaged("needs an image and coordinates of rank 4");
  const auto width = static_cast<float>(op.length(image, 2)),
             height = static_cast<float>(op.length(image, 1));
  const TensorId scale = op.build().vector<float>({2 / width, 2 / height});
  const TensorId edge = op.build().vector<float>({1 / width - 1, 1 / height - 1});
  op.write_to(op.result(), Op::grid_sample, {image, op.add(op.mul(places, scale), edge)});
}

constexpr Row image_row(std::string_view name, uint8_t inputs, void (*convert)(Operator&), Op type = {}) {
  return {BuiltinOperator::CUSTOM, inputs, inputs, Numbers::real, convert, type, nullptr, name};
}

constexpr Row kImageRows[] = {
    image_row("Convolution2DTransposeBias", 3, transpose_conv_bias, Op::conv2d_transpose),
    image_row("MaxPoolingWithArgmax2D", 1, max_pool_with_argmax),
    image_row("MaxUnpooling2D", 2, max_unpool),
    image_row("Resampler", 2, resampler),
};

}  // namespace

std::span<const Row> image_rows() { return kImageRows; }

}  // namespace nnrt::import::tflite
