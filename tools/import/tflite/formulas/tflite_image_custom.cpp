// MediaPipe's custom window operators. Their options are C structs.
#include "tools/import/tflite/formulas/tflite_custom_options.h"
#include "tools/import/tflite/formulas/tflite_formula.h"
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

Status check_neighbourhood(const Operator& op, const Neighbourhood& it) {
  const auto is_bad = [](int64_t size) { return size < 1 || size > kMaxSize; };
  if (it.padding != kSame && it.padding != kValid) return op.damaged("has an unknown padding");
  if (std::ranges::any_of(it.strides, is_bad) || std::ranges::any_of(it.filter, is_bad))
    return op.damaged("has strides or a filter outside [1, 65536]");
  return {};
}

// The output is the full transposed convolution minus the padding at both ends.
Status transpose_conv_bias(Operator& op) {
  NNRT_ASSIGN(const List<int32_t> options, structure_options(op, 3));
  const Neighbourhood it{.padding = options[0], .strides = {options[2], options[1]}};
  NNRT_TRY(check_neighbourhood(op, it));
  Formula f(op);
  const TensorId x = f.operand(0), weight = f.operand(1), bias = f.operand(2);
  if (f.rank(x) != 4 || f.rank(weight) != 4) return op.damaged("needs an image and filters of rank 4");
  List<int64_t> pads;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t size = f.length(x, d + 1), filter = f.length(weight, d + 1);
    const int64_t cut =
        it.padding == kValid ? 0 : std::max<int64_t>(filter - (size - 1) % it.strides[d] - 1, 0);
    pads.insert(pads.end(), {cut / 2, cut - cut / 2});
  }
  return f.write(op.result(), OH_NN_OPS_CONV2D_TRANSPOSE, {x, weight, bias},
                 {int64s_parameter(OH_NN_CONV2D_TRANSPOSE_STRIDES, it.strides),
                  int64s_parameter(OH_NN_CONV2D_TRANSPOSE_PAD, pads)});
}

Result<Neighbourhood> pool_of(const Operator& op) {
  NNRT_ASSIGN(const List<int32_t> options, structure_options(op, 6));
  const Neighbourhood it{.padding = options[0],
                         .strides = {options[2], options[1]},
                         .filter = {options[4], options[3]},
                         .activation = static_cast<Activation>(std::clamp(options[5], 0, 127))};
  NNRT_TRY(check_neighbourhood(op, it));
  constexpr int64_t kMaxCells = 256;
  if (it.filter[0] * it.filter[1] > kMaxCells) return op.refuse("has a filter of more than 256 cells");
  return it;
}

// The elements at each position of their windows, [batch, height, width, channels] each.
List<TensorId> cells_of(Formula& f, TensorId x, const Neighbourhood& it) {
  int64_t reach[2], before[2], after[2];
  for (size_t d = 0; d < 2; ++d) {
    const int64_t size = f.length(x, d + 1), stride = it.strides[d], filter = it.filter[d];
    const int64_t count =
        it.padding == kSame ? (size + stride - 1) / stride : (size - filter + stride) / stride;
    reach[d] = (count - 1) * stride + 1;
    before[d] = std::max<int64_t>((reach[d] + filter - 1 - size) / 2, 0);
    after[d] = std::max<int64_t>(reach[d] + filter - 1 - size - before[d], 0);
  }
  const TensorId edges = f.build().constant<int64_t>(
      {4, 2}, List<int64_t>{0, 0, before[0], after[0], before[1], after[1], 0, 0});
  const TensorId padded =
      f.emit(OH_NN_OPS_PAD, {x, edges},
             {float_parameter(OH_NN_PAD_CONSTANT_VALUE, std::numeric_limits<float>::lowest())});
  List<TensorId> cells;
  for (int64_t y = 0; y < it.filter[0]; ++y) {
    const TensorId rows = f.slice(padded, 1, y, y + reach[0], it.strides[0]);
    for (int64_t column = 0; column < it.filter[1]; ++column)
      cells.push_back(f.slice(rows, 2, column, column + reach[1], it.strides[1]));
  }
  return cells;
}

// The maximum of each window, and the index of the first cell that has it, plus 0.1 for safe truncation.
Status max_pool_with_argmax(Operator& op) {
  NNRT_ASSIGN(const Neighbourhood it, pool_of(op));
  if (op.output_count() != 2) return op.damaged("needs two outputs");
  Formula f(op);
  const TensorId x = f.operand(0);
  if (f.rank(x) != 4) return op.damaged("needs an image of rank 4");
  const List<TensorId> cells = cells_of(f, x, it);
  const TensorId all = cells.size() == 1
                           ? f.emit(OH_NN_OPS_UNSQUEEZE, cells, {int64s_parameter(OH_NN_UNSQUEEZE_AXIS, {0})})
                           : f.emit(OH_NN_OPS_STACK, cells, {int64_parameter(OH_NN_STACK_AXIS, 0)});
  const TensorId places =
      f.emit(OH_NN_OPS_ARG_MAX, {all}, {int64_parameter(OH_NN_ARG_MAX_AXIS, 0)}, OH_NN_INT32);
  NNRT_TRY(f.write(op.result(1), OH_NN_OPS_ADD, {f.cast(places, OH_NN_FLOAT32), f.number(0.1f)}));
  const TensorId target = op.result(0);
  const bool is_activated = it.activation != Activation::NONE;
  const TensorId largest = is_activated ? op.build().temporary_like(target) : target;
  NNRT_TRY(f.write(largest, OH_NN_OPS_MAX_POOL, {x},
                   {int64s_parameter(OH_NN_MAX_POOL_KERNEL_SIZE, it.filter),
                    int64s_parameter(OH_NN_MAX_POOL_STRIDE, it.strides),
                    int8_parameter(OH_NN_MAX_POOL_PAD_MODE, it.padding == kSame ? 0 : 1)}));
  return is_activated ? op.activate(it.activation, largest, target) : Status{};
}

// Each element goes to the window cell its index selects; the others are 0.
Status max_unpool(Operator& op) {
  NNRT_ASSIGN(const Neighbourhood it, pool_of(op));
  if (!std::ranges::equal(it.strides, it.filter)) return op.refuse("has windows that overlap or leave gaps");
  Formula f(op);
  const TensorId x = f.operand(0), given = f.operand(1);
  if (f.rank(x) != 4) return op.damaged("needs an image of rank 4");
  const int64_t height = f.length(x, 1), width = f.length(x, 2), channels = f.length(x, 3);
  const int64_t rows = it.filter[0], columns = it.filter[1];
  const auto with_cells = [&](TensorId id) {
    return f.emit(OH_NN_OPS_UNSQUEEZE, {id}, {int64s_parameter(OH_NN_UNSQUEEZE_AXIS, {3})});
  };
  List<int32_t> numbers(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i);
  const TensorId places = f.build().constant<int32_t>({static_cast<int32_t>(rows * columns), 1}, numbers);
  const TensorId is_there = f.equal(with_cells(f.cast(given, OH_NN_INT32)), places);
  const TensorId cells = f.where(is_there, with_cells(x), f.number(0));
  const TensorId grid = f.reshape(cells, {-1, height, width, rows, columns, channels});
  const List<int64_t> shape{-1, height * rows, width * columns, channels};
  return f.write(op.result(), OH_NN_OPS_RESHAPE,
                 {f.transpose(grid, {0, 1, 3, 2, 4, 5}), f.build().vector(shape)});
}

// Interpolated image pixels at (column, row) coordinates; 0 outside the image.
Status resampler(Operator& op) {
  Formula f(op);
  const TensorId image = f.operand(0), places = f.operand(1);
  if (f.rank(image) != 4 || f.rank(places) != 4)
    return op.damaged("needs an image and coordinates of rank 4");
  const auto width = static_cast<float>(f.length(image, 2)), height = static_cast<float>(f.length(image, 1));
  const TensorId scale = f.build().vector<float>({2 / width, 2 / height});
  const TensorId edge = f.build().vector<float>({1 / width - 1, 1 / height - 1});
  return f.write(op.result(), extension(OH_NN_OPS_GRID_SAMPLE), {image, f.add(f.mul(places, scale), edge)});
}

constexpr Row image_row(std::string_view name, uint8_t inputs, Status (*convert)(Operator&),
                        OH_NN_OperationType type = {}) {
  return {BuiltinOperator::CUSTOM, inputs, inputs, Numbers::real, convert, type, nullptr, {}, name};
}

constexpr Row kImageRows[] = {
    image_row("Convolution2DTransposeBias", 3, transpose_conv_bias, OH_NN_OPS_CONV2D_TRANSPOSE),
    image_row("MaxPoolingWithArgmax2D", 1, max_pool_with_argmax),
    image_row("MaxUnpooling2D", 2, max_unpool),
    image_row("Resampler", 2, resampler),
};

}  // namespace

std::span<const Row> image_rows() { return kImageRows; }

}  // namespace nnrt::import::tflite
