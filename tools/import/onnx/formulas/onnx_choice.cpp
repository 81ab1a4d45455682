// Operators that select or place elements, composed of gathers, comparisons and constants.
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/onnx_constants.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::onnx {
namespace {

// 1 at the first largest element. Before opset 13, the dimensions from the axis on are flattened.
Ids hardmax(Call& call) {
  constexpr int64_t kOneAxis = 13;
  const bool one_axis = call.opset() >= kOneAxis;
  TensorId x = call.input(0);
  const Dims shape = call.shape(x);
  const int64_t rank = call.rank(x), usual = one_axis ? -1 : std::min<int64_t>(1, rank - 1);
  int64_t axis = call.axis(call.attributes.integer("axis", usual), rank);
  if (!one_axis) {
    x = call.emit(Op::flatten, {x}, {{Attr::axis, axis}});
    axis = 1;
  }
  const int64_t length = call.length(x, axis);
  const TensorId position =
      call.emit(Op::arg_max, {x}, {{Attr::axis, axis}, {Attr::keep_dims, true}}, {.dtypes = {DType::i64}});
  Dims along(static_cast<size_t>(call.rank(x)), 1);
  along[static_cast<size_t>(axis)] = length;
  const TensorId places = call.indices(DType::i64, along, [](int64_t i) { return i; });
  const TensorId hot = call.cast(call.equal(position, places), call.dtype(x));
  if (one_axis) return {hot};
  if (!is_static(shape)) fail(unsupported("The shape ", to_string(shape), " is not known."));
  return {call.reshape(hot, shape)};
}

// Elements of the condition beyond the dimension select nothing.
Ids compress(Call& call) {
  TensorId x = call.input(0), condition = call.input(1);
  if (!call.attributes.has("axis")) x = call.regroup(x, {-1});
  if (call.rank(condition) != 1) fail(damaged("The condition is not a vector."));
  const int64_t axis = call.axis(call.attributes.integer("axis", 0), call.rank(x));
  const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
  if (length != kUnknown) condition = call.slice(condition, 0, 0, length);
  const TensorId places = call.emit(Op::non_zero, {condition}, {}, {.dtypes = {DType::i64}});
  return {call.gather(x, call.squeeze(places, {0}), axis)};
}

Ids unique(Call& call) {
  TensorId x = call.input(0);
  if (!call.attributes.has("axis")) x = call.regroup(x, {-1});
  const int64_t axis = call.axis(call.attributes.integer("axis", 0), call.rank(x));
  return call.emitter().emit_many(Op::unique, {x},
                                  {{Attr::axis, axis}, {Attr::sorted, call.attributes.flag("sorted", true)}},
                                  {.count = 4});
}

Ids eye_like(Call& call) {
  const TensorId x = call.plain_input(0);
  const Dims shape = call.shape(x);
  if (shape.size() != 2 || !is_static(shape))
    fail(unsupported("An identity matrix of shape ", to_string(shape), " is not supported."));
  DType dtype = call.dtype(x);
  if (call.attributes.has("dtype"))
    dtype = required(dtype_of(static_cast<int32_t>(call.attributes.integer("dtype", 0))));
  const std::optional<size_t> bytes = nnrt::byte_size(DType::f64, shape);
  if (!bytes) fail(unsupported("An identity matrix of shape ", to_string(shape), " is too large."));
  required(call.emitter().budget().take(*bytes));
  List<double> numbers(*bytes / sizeof(double), 0.0);
  const int64_t offset = call.attributes.integer("k", 0);
  for (int64_t row = 0; row < shape[0]; ++row) {
    if (offset < -shape[0] || offset > shape[1] || row + offset < 0 || row + offset >= shape[1]) continue;
    numbers[static_cast<size_t>(row * shape[1] + row + offset)] = 1;
  }
  return {call.constant(dtype, shape, numbers)};
}

Ids reverse_sequence(Call& call) {
  const TensorId x = call.input(0), lengths = call.input(1);
  if (call.rank(x) < 2) fail(damaged("The rank (", call.rank(x), ") is below 2."));
  const int64_t time = call.attributes.integer("time_axis", 0),
                batch = call.attributes.integer("batch_axis", 1);
  if (time + batch != 1 || time * batch != 0)
    fail(damaged("The axes (", time, ", ", batch, ") are not 0 and 1."));
  return {call.reversed_sequences(x, lengths, time, batch)};
}

// x minus the bias outside the threshold, otherwise 0.
Ids shrink(Call& call) {
  const double lambda = call.attributes.real("lambd", 0.5f), bias = call.attributes.real("bias", 0);
  const TensorId x = call.input(0);
  const TensorId below = call.where(call.less(x, -lambda), call.add(x, bias), call.number(x, 0));
  return {call.where(call.less(call.number(x, lambda), x), call.sub(x, bias), below)};
}

// Laplace expansion along the first row, for small matrices.
TensorId determinant(Call& call, const List<List<TensorId>>& rows) {
  if (rows.size() == 1) return rows[0][0];
  TensorId total = 0;
  for (size_t column = 0; column < rows.size(); ++column) {
    List<List<TensorId>> minor;
    for (size_t row = 1; row < rows.size(); ++row) {
      minor.push_back(rows[row]);
      minor.back().erase_at(column);
    }
    const TensorId term = call.mul(rows[0][column], determinant(call, minor));
    total = column == 0 ? term : column % 2 == 0 ? call.add(total, term) : call.sub(total, term);
  }
  return total;
}

Ids det(Call& call) {
  const TensorId x = call.input(0);
  const int64_t size = call.length(x, -1), rank = call.rank(x);
  constexpr int64_t kMaxSize = 4;
  if (rank < 2 || call.length(x, -2) != size || size < 1 || size > kMaxSize)
    fail(unsupported("Only determinants of matrices of 1 to ", kMaxSize, " rows are supported."));
  List<List<TensorId>> rows(static_cast<size_t>(size));
  for (int64_t row = 0; row < size; ++row) {
    const TensorId line = call.gather(x, call.number(DType::i64, double(row)), rank - 2);
    for (int64_t column = 0; column < size; ++column)
      rows[static_cast<size_t>(row)].push_back(
          call.gather(line, call.number(DType::i64, double(column)), rank - 2));
  }
  return {determinant(call, rows)};
}

struct Crop {
  List<int64_t> axes, sizes;
};

Crop read_crop(Call& call, int64_t rank) {
  Crop crop;
  crop.sizes = call.integers(1);
  crop.axes = call.attributes.integers("axes");
  if (!call.attributes.has("axes")) crop.axes = axes_between(0, rank);
  for (int64_t& axis : crop.axes) axis = call.axis(axis, rank);
  if (crop.axes.size() != crop.sizes.size()) fail(damaged("The numbers of axes and sizes differ."));
  return crop;
}

// Crops to the center, or pads the input with zeros around it.
Ids center_crop_pad(Call& call) {
  TensorId x = call.input(0);
  const int64_t rank = call.rank(x);
  const Crop crop = read_crop(call, rank);
  List<int64_t> pads(2 * static_cast<size_t>(rank), 0);
  for (size_t i = 0; i < crop.axes.size(); ++i) {
    const int64_t axis = crop.axes[i], size = crop.sizes[i], length = call.length(x, axis);
    if (size < 1 || size > std::numeric_limits<int32_t>::max())
      fail(damaged("The new size (", size, ") is outside [1, 2147483647]."));
    if (length > size) x = call.slice(x, axis, (length - size) / 2, (length - size) / 2 + size);
    if (length >= size) continue;
    pads[2 * static_cast<size_t>(axis)] = (size - length) / 2;
    pads[2 * static_cast<size_t>(axis) + 1] = size - length - (size - length) / 2;
  }
  if (std::ranges::all_of(pads, [](int64_t pad) { return pad == 0; })) return {x};
  return {call.padded(x, pads)};
}

}  // namespace

std::vector<Row> choice_rows() {
  return {
      {"CenterCropPad", center_crop_pad},
      {"Compress", compress},
      {"Det", det},
      {"EyeLike", eye_like},
      {"Hardmax", hardmax},
      {"ReverseSequence", reverse_sequence},
      {"Shrink", shrink},
      {"Unique", unique},
  };
}

}  // namespace nnrt::import::onnx
