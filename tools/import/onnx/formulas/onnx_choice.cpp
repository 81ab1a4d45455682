// Operators that select or place elements, composed of gathers, comparisons and constants.
#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/onnx/onnx_formula.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

// 1 at the first largest element. Before opset 13, the dimensions from the axis on are flattened.
Result<Ids> hardmax(Call& call) {
  Formula f(call);
  constexpr int64_t kOneAxis = 13;
  const bool one_axis = call.opset() >= kOneAxis;
  TensorId x = f.input(0);
  const Dims shape = call.shape(x);
  const int64_t rank = call.rank(x), usual = one_axis ? -1 : std::min<int64_t>(1, rank - 1);
  NNRT_ASSIGN(int64_t axis, call.axis(call.attributes.integer("axis", usual), rank));
  if (!one_axis) {
    x = f.emit(OH_NN_OPS_FLATTEN, {x}, {int64_parameter(OH_NN_FLATTEN_AXIS, axis)});
    axis = 1;
  }
  const int64_t length = f.length(x, axis);
  const TensorId position =
      f.emit(OH_NN_OPS_ARG_MAX, {x},
             {int64_parameter(OH_NN_ARG_MAX_AXIS, axis), bool_parameter(OH_NN_ARG_MAX_KEEPDIMS, true)},
             {.dtypes = {DType::i64}});
  Dims along(static_cast<size_t>(f.rank(x)), 1);
  along[static_cast<size_t>(axis)] = length;
  const TensorId places = f.indices(DType::i64, along, [](int64_t i) { return i; });
  const TensorId hot = f.cast(f.equal(position, places), f.dtype(x));
  if (one_axis) return Ids{hot};
  if (!is_static(shape)) return unsupported("The shape ", to_string(shape), " is not known.");
  return Ids{f.reshape(hot, shape)};
}

// Elements of the condition beyond the dimension select nothing.
Result<Ids> compress(Call& call) {
  Formula f(call);
  TensorId x = f.input(0), condition = f.input(1);
  if (!call.attributes.has("axis")) x = f.regroup(x, {-1});
  if (call.rank(condition) != 1) return damaged("The condition is not a vector.");
  NNRT_ASSIGN(const int64_t axis, call.axis(call.attributes.integer("axis", 0), call.rank(x)));
  const int64_t length = f.shape(x)[static_cast<size_t>(axis)];
  if (length != kUnknown) condition = f.slice(condition, 0, 0, length);
  const TensorId places = f.emit(extension(OH_NN_OPS_NON_ZERO), {condition}, {}, {.dtypes = {DType::i64}});
  return Ids{f.gather(x, f.squeeze(places, {0}), axis)};
}

Result<Ids> unique(Call& call) {
  Formula f(call);
  TensorId x = f.input(0);
  if (!call.attributes.has("axis")) x = f.regroup(x, {-1});
  NNRT_ASSIGN(const int64_t axis, call.axis(call.attributes.integer("axis", 0), call.rank(x)));
  return call.emitter().emit_many(
      extension(OH_NN_OPS_UNIQUE), {x},
      {int64_parameter(extension(OH_NN_UNIQUE_AXIS), axis),
       bool_parameter(extension(OH_NN_UNIQUE_SORTED), call.attributes.integer("sorted", 1) != 0)},
      {.count = 4});
}

Result<Ids> eye_like(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.plain_input(0));
  const Dims shape = call.shape(x);
  if (shape.size() != 2 || !is_static(shape))
    return unsupported("An identity matrix of shape ", to_string(shape), " is not supported.");
  DType dtype = call.emitter().dtype(x);
  if (call.attributes.has("dtype")) {
    NNRT_ASSIGN(dtype, dtype_of(static_cast<int32_t>(call.attributes.integer("dtype", 0))));
  }
  NNRT_ASSIGN(const size_t bytes, [&]() -> Result<size_t> {
    if (const auto size = nnrt::byte_size(DType::f64, shape)) return *size;
    return unsupported("An identity matrix of shape ", to_string(shape), " is too large.");
  }());
  NNRT_TRY(call.emitter().budget().take(bytes));
  List<double> numbers(bytes / sizeof(double), 0.0);
  const int64_t offset = call.attributes.integer("k", 0);
  for (int64_t row = 0; row < shape[0]; ++row) {
    if (offset < -shape[0] || offset > shape[1] || row + offset < 0 || row + offset >= shape[1]) continue;
    numbers[static_cast<size_t>(row * shape[1] + row + offset)] = 1;
  }
  Formula f(call);
  return Ids{f.constant(dtype, shape, numbers)};
}

// Element positions in [time, batch] order, as the [first, second] dimension of the input.
Result<Ids> reverse_sequence(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0), lengths = f.cast(f.input(1), DType::i64);
  if (call.rank(x) < 2) return damaged("The rank (", call.rank(x), ") is below 2.");
  const int64_t time = call.attributes.integer("time_axis", 0),
                batch = call.attributes.integer("batch_axis", 1);
  if (time + batch != 1 || time * batch != 0)
    return damaged("The axes (", time, ", ", batch, ") are not 0 and 1.");
  const int64_t steps = f.length(x, time), count = f.length(x, batch);
  const auto counted = [&](int64_t axis, int64_t length) {
    const Dims shape = axis == 0 ? Dims{length, 1} : Dims{1, length};
    return f.indices(DType::i64, shape, [](int64_t i) { return i; });
  };
  const TensorId step = counted(time, steps), element = counted(batch, count);
  const TensorId ends = f.reshape(lengths, batch == 0 ? Dims{count, 1} : Dims{1, count});
  const TensorId last = f.sub(ends, 1.0);
  const TensorId source = f.where(f.less(step, ends), f.sub(last, step), step);
  const TensorId flat =
      time == 0 ? f.add(f.mul(source, double(count)), element) : f.add(f.mul(element, double(steps)), source);
  const Dims shape = f.shape(x);
  List<int64_t> rows{-1};
  const Dims behind = shape.from(2);
  rows.insert(rows.end(), behind.begin(), behind.end());
  if (std::ranges::count(rows, kUnknown) > 1)
    return unsupported("The shape ", to_string(shape), " is not known.");
  return Ids{f.gather(f.regroup(x, rows), flat, 0)};
}

// x minus the bias outside the threshold, otherwise 0.
Result<Ids> shrink(Call& call) {
  Formula f(call);
  const double lambda = call.attributes.real("lambd", 0.5f), bias = call.attributes.real("bias", 0);
  const TensorId x = f.input(0);
  const TensorId below = f.where(f.less(x, -lambda), f.add(x, bias), f.number(x, 0));
  return Ids{f.where(f.less(f.number(x, lambda), x), f.sub(x, bias), below)};
}

// Laplace expansion along the first row, for small matrices.
TensorId determinant(Formula& f, const List<List<TensorId>>& rows) {
  if (rows.size() == 1) return rows[0][0];
  TensorId total = 0;
  for (size_t column = 0; column < rows.size(); ++column) {
    List<List<TensorId>> minor;
    for (size_t row = 1; row < rows.size(); ++row) {
      minor.push_back(rows[row]);
      minor.back().erase_at(column);
    }
    const TensorId term = f.mul(rows[0][column], determinant(f, minor));
    total = column == 0 ? term : column % 2 == 0 ? f.add(total, term) : f.sub(total, term);
  }
  return total;
}

Result<Ids> det(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0);
  const int64_t size = f.length(x, -1), rank = f.rank(x);
  constexpr int64_t kMaxSize = 4;
  if (rank < 2 || f.length(x, -2) != size || size < 1 || size > kMaxSize)
    return unsupported("Only determinants of matrices of 1 to ", kMaxSize, " rows are supported.");
  List<List<TensorId>> rows(static_cast<size_t>(size));
  for (int64_t row = 0; row < size; ++row) {
    const TensorId line = f.gather(x, f.call().emitter().number(DType::i64, double(row)), rank - 2);
    for (int64_t column = 0; column < size; ++column)
      rows[static_cast<size_t>(row)].push_back(
          f.gather(line, f.call().emitter().number(DType::i64, double(column)), rank - 2));
  }
  return Ids{determinant(f, rows)};
}

struct Crop {
  List<int64_t> axes, sizes;
};

Result<Crop> read_crop(Call& call, int64_t rank) {
  Crop crop;
  NNRT_ASSIGN(crop.sizes, call.integers(1));
  crop.axes = call.attributes.integers("axes");
  if (!call.attributes.has("axes")) {
    crop.axes.resize(static_cast<size_t>(rank));
    std::iota(crop.axes.begin(), crop.axes.end(), int64_t{0});
  }
  for (int64_t& axis : crop.axes) {
    NNRT_ASSIGN(axis, call.axis(axis, rank));
  }
  if (crop.axes.size() != crop.sizes.size()) return damaged("The numbers of axes and sizes differ.");
  return crop;
}

// Crops to the center, or pads the input with zeros around it.
Result<Ids> center_crop_pad(Call& call) {
  Formula f(call);
  TensorId x = f.input(0);
  const int64_t rank = call.rank(x);
  NNRT_ASSIGN(const Crop crop, read_crop(call, rank));
  List<int64_t> pads(2 * static_cast<size_t>(rank), 0);
  for (size_t i = 0; i < crop.axes.size(); ++i) {
    const int64_t axis = crop.axes[i], size = crop.sizes[i], length = f.length(x, axis);
    if (size < 1 || size > std::numeric_limits<int32_t>::max())
      return damaged("The new size (", size, ") is outside [1, 2147483647].");
    if (length > size) x = f.slice(x, axis, (length - size) / 2, (length - size) / 2 + size);
    if (length >= size) continue;
    pads[2 * static_cast<size_t>(axis)] = (size - length) / 2;
    pads[2 * static_cast<size_t>(axis) + 1] = size - length - (size - length) / 2;
  }
  if (std::ranges::all_of(pads, [](int64_t pad) { return pad == 0; })) return Ids{x};
  return Ids{f.emit(OH_NN_OPS_PAD, {x, f.reshape(f.integers(pads), {rank, 2})})};
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
