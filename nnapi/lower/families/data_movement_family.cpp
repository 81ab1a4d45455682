// Data movement: reshapes, slices and joins.
#include "core/base/text.h"
#include "nnapi/lower/compose.h"
#include "nnapi/lower/core_type.h"

#include <android/NeuralNetworks.h>

#include <algorithm>
#include <numeric>

namespace nnrt::nnapi {
namespace {

// Reshapes `value`, with the declared parameters.
void set_reshaped(Lowering& op, const Value& value, const Shape& shape) {
  op.set(0, op.graph.emit(Op::reshape, {value, op.graph.integers(or_one(shape))}, {}, op.result_type()));
}

void lower_reshape(Lowering& op) { set_reshaped(op, op.in(0), op.integers(1)); }

void lower_squeeze(Lowering& op) {
  const Value value = op.in(0);
  std::vector<bool> gone(value.rank(), false);
  if (op.has(1)) {
    for (int64_t axis : op.integers(1)) {
      if (axis < 0) axis += int64_t(value.rank());
      if (axis < 0 || axis >= int64_t(value.rank()) || value.shape[size_t(axis)] != 1)
        return op.fail(invalid("Axis (", axis, ") of ", to_string(value.shape), " is not of length 1."));
      gone[size_t(axis)] = true;
    }
  } else {
    for (size_t i = 0; i < value.rank(); ++i) gone[i] = value.shape[i] == 1;
  }
  Shape shape;
  for (size_t i = 0; i < value.rank(); ++i) {
    if (!gone[i]) shape.push_back(value.shape[i]);
  }
  set_reshaped(op, value, shape);
}

void lower_expand_dims(Lowering& op) {
  const Value value = op.in(0);
  Shape shape = value.shape;
  const size_t axis = op.axis(1, value.rank() + 1);
  if (axis <= shape.size()) shape.insert(shape.begin() + std::ptrdiff_t(axis), 1);
  set_reshaped(op, value, shape);
}

void lower_transpose(Lowering& op) {
  const Value value = op.in(0);
  std::vector<int64_t> perm(value.rank());
  for (size_t i = 0; i < perm.size(); ++i) perm[i] = int64_t(perm.size() - 1 - i);
  if (op.has(1)) perm = op.integers(1);
  op.set(0, op.graph.emit(Op::transpose, {value, op.graph.integers(perm)}, {}, op.result_type()));
}

void set_joined(Lowering& op, std::vector<Value> parts, size_t axis) {
  if (parts.size() == 1) return set_reshaped(op, parts[0], parts[0].shape);
  op.set(0, op.graph.emit(Op::concat, parts, {{Attr::axis, axis}}, op.result_type()));
}

// Skips empty parts.
void lower_concatenation(Lowering& op) {
  std::vector<Value> parts;
  const size_t last = op.input_count() - 1;
  const size_t axis = op.axis(last, op.in(0).rank());
  for (size_t i = 0; i < last; ++i) {
    if (Value part = op.in(i); !part.is_empty()) parts.push_back(std::move(part));
  }
  if (parts.empty()) return op.fail(invalid("All inputs are empty."));
  set_joined(op, std::move(parts), axis);
}

void lower_pack(Lowering& op) {
  std::vector<Value> parts;
  for (size_t i = 1; i < op.input_count(); ++i) parts.push_back(op.in(i));
  const size_t axis = op.axis(0, parts[0].rank() + 1);
  for (const Value& part : parts) {
    if (part.shape != parts[0].shape)
      return op.fail(invalid("Shapes of inputs (", to_string(part.shape), " and ", to_string(parts[0].shape),
                             ") differ."));
  }
  if (parts.size() > 1)
    return op.set(0, op.graph.emit(Op::stack, parts, {{Attr::axis, axis}}, op.result_type()));
  Shape shape = parts[0].shape;
  shape.insert(shape.begin() + std::ptrdiff_t(axis), 1);
  set_reshaped(op, parts[0], shape);
}

void lower_split(Lowering& op) {
  const Value value = op.in(0);
  const size_t axis = op.axis(1, value.rank());
  const int64_t count = op.integer(2);
  if (count < 1 || size_t(count) != op.output_count())
    return op.fail(
        invalid("The number of parts (", count, ") is not that of outputs (", op.output_count(), ")."));
  if (value.dim(axis) % count != 0)
    return op.fail(invalid("Dimension (", value.dim(axis), ") is not divisible by ", count, "."));
  if (count == 1) return set_reshaped(op, value, value.shape);
  std::vector<ResultType> types;
  for (size_t i = 0; i < op.output_count(); ++i) types.push_back(op.result_type(i));
  const Settings settings{{Attr::axis, axis}, {Attr::output_num, count}};
  std::vector<Value> parts = op.graph.emit_all(Op::split, {value}, settings, std::move(types));
  for (size_t i = 0; i < parts.size(); ++i) op.set(i, std::move(parts[i]));
}

// Empty results need no node.
bool set_if_empty(Lowering& op, const Shape& shape) {
  Value nothing{.dtype = op.result_type().dtype, .shape = shape, .quant = op.result_type().quant};
  if (!nothing.is_empty()) return false;
  op.set(0, std::move(nothing));
  return true;
}

void lower_slice(Lowering& op) {
  const Value value = op.in(0);
  const std::vector<int64_t> begins = op.integers(1);
  std::vector<int64_t> sizes = op.integers(2);
  if (begins.size() != value.rank() || sizes.size() != value.rank())
    return op.fail(invalid("Begin and size have ", begins.size(), " and ", sizes.size(),
                           " elements, and the input has rank ", value.rank(), "."));
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) sizes[i] = value.shape[i] - begins[i];
    if (begins[i] < 0 || sizes[i] < 0 || begins[i] + sizes[i] > value.shape[i])
      return op.fail(invalid("Slice [", begins[i], ", ", begins[i] + sizes[i], ") leaves dimension ", i, " (",
                             value.shape[i], ")."));
  }
  if (set_if_empty(op, sizes)) return;
  op.set(0, op.graph.emit(Op::slice, {value, op.graph.integers(begins), op.graph.integers(sizes)}, {},
                          op.result_type()));
}

// A dimension can only be dropped if its range has one element.
void check_dropped(Lowering& op, const Value& value, int64_t mask) {
  const std::vector<int64_t> begins = op.integers(1), ends = op.integers(2), strides = op.integers(3);
  const int64_t begin_mask = op.integer(4), end_mask = op.integer(5);
  const size_t count = std::min({begins.size(), ends.size(), strides.size(), value.rank(), size_t{32}});
  for (size_t i = 0; i < count; ++i) {
    if ((mask >> i & 1) == 0) continue;
    if (strides[i] < 0)
      return op.fail(invalid("Stride (", strides[i], ") of a dropped dimension is negative."));
    const int64_t length = value.shape[i];
    const auto clamped = [&](int64_t x) { return std::clamp<int64_t>(x < 0 ? x + length : x, 0, length); };
    const int64_t begin = (begin_mask >> i & 1) != 0 ? 0 : clamped(begins[i]);
    const int64_t end = (end_mask >> i & 1) != 0 ? length : clamped(ends[i]);
    if (end - begin > strides[i])
      return op.fail(invalid("Dimension ", i, " is dropped, though [", begin, ", ", end, ") has several."));
  }
}

void lower_strided_slice(Lowering& op) {
  GraphWriter& graph = op.graph;
  const Value data = op.in(0);
  const std::vector<Value> inputs{data, graph.integers(op.integers(1)), graph.integers(op.integers(2)),
                                  graph.integers(op.integers(3))};
  const int64_t shrink = op.integer(6);
  check_dropped(op, data, shrink);
  op.set(0, graph.emit(Op::strided_slice, inputs,
                       {{Attr::begin_mask, op.integer(4)},
                        {Attr::end_mask, op.integer(5)},
                        {Attr::shrink_axis_mask, shrink}},
                       op.result_type()));
}

void lower_tile(Lowering& op) {
  op.set(0, op.graph.emit(Op::tile, {op.in(0), op.graph.integers(op.integers(1))}, {}, op.result_type()));
}

// One dimension at a time, as the core's tensors have lower ranks.
Value pad_each(GraphWriter& graph, Value data, const std::vector<int64_t>& paddings,
               const Settings& settings) {
  for (size_t axis = 0; axis < data.rank(); ++axis) {
    const int64_t before = paddings[2 * axis], after = paddings[2 * axis + 1];
    if (before == 0 && after == 0) continue;
    Shape shape = data.shape;
    const int64_t outer = product(shape, 0, axis), inner = product(shape, axis + 1, shape.size());
    const Value middle = reshape(graph, data, {outer, shape[axis], inner});
    const Value padded = graph.emit(
        Op::pad, {middle, graph.integers(std::vector<int64_t>{0, 0, before, after, 0, 0}, {3, 2})}, settings);
    shape[axis] += before + after;
    data = reshape(graph, padded, shape);
  }
  return data;
}

void pad(Lowering& op, double value, int64_t mode) {
  const Settings settings{{Attr::constant_value, value}, {Attr::padding_mode, mode}};
  const Value data = op.in(0);
  const std::vector<int64_t> paddings = op.integers(1);
  if (paddings.size() != 2 * data.rank())
    return op.fail(invalid("There are ", paddings.size(), " paddings for rank ", data.rank(), "."));
  if (data.rank() > kMaxRank) return op.set(0, pad_each(op.graph, data, paddings, settings));
  const std::vector<Value> inputs{data, op.graph.integers(paddings, {int64_t(data.rank()), 2})};
  op.set(0, op.graph.emit(Op::pad, inputs, settings, op.result_type()));
}

void lower_pad(Lowering& op) { pad(op, 0, 0); }

// For quantized data the padding value is a quantized number.
void lower_pad_v2(Lowering& op) {
  const OperandType& type = op.operand(0).type;
  if (core_quant(op.operand(0)).empty()) return pad(op, op.real(2), 0);
  pad(op, double(op.integer(2) - type.zero_point) * double(type.scale), 0);
}

void lower_mirror_pad(Lowering& op) {
  const int64_t mode = op.integer(2);
  if (mode != 0 && mode != 1) return op.fail(invalid("Mode (", mode, ") is neither 0 nor 1."));
  pad(op, 0, mode + 1);
}

void lower_reverse(Lowering& op) {
  const Value value = op.in(0);
  const std::vector<int64_t> axes = op.integers(1);
  int64_t axis = axes.empty() ? -1 : axes[0];
  if (axis < 0) axis += int64_t(value.rank());
  if (axes.size() != 1 || axis < 0 || axis >= int64_t(value.rank()))
    return op.fail(invalid("The axes are not a single axis of ", to_string(value.shape), "."));
  std::vector<int64_t> indices(size_t(value.shape[size_t(axis)]));
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = int64_t(indices.size() - 1 - i);
  op.set(0, op.graph.emit(Op::gather, {value, op.graph.integers(indices), op.graph.integers({axis})}, {},
                          op.result_type()));
}

void lower_channel_shuffle(Lowering& op) {
  const Value value = op.in(0);
  const int64_t groups = op.integer(1);
  const size_t axis = op.axis(2, value.rank());
  if (groups < 1 || value.dim(axis) % groups != 0)
    return op.fail(invalid("Dimension (", value.dim(axis), ") is not divisible by ", groups, " groups."));
  const int64_t outer = product(value.shape, 0, axis), inner = product(value.shape, axis + 1, value.rank());
  const Value grouped = reshape(op.graph, value, {outer, groups, value.dim(axis) / groups, inner});
  set_reshaped(op, transpose(op.graph, grouped, {0, 2, 1, 3}), value.shape);
}

constexpr LoweringRow kDataMovementLowerings[] = {
    {ANEURALNETWORKS_RESHAPE, lower_reshape},
    {ANEURALNETWORKS_SQUEEZE, lower_squeeze},
    {ANEURALNETWORKS_EXPAND_DIMS, lower_expand_dims},
    {ANEURALNETWORKS_TRANSPOSE, lower_transpose},
    {ANEURALNETWORKS_CONCATENATION, lower_concatenation},
    {ANEURALNETWORKS_PACK, lower_pack},
    {ANEURALNETWORKS_SPLIT, lower_split},
    {ANEURALNETWORKS_SLICE, lower_slice},
    {ANEURALNETWORKS_STRIDED_SLICE, lower_strided_slice},
    {ANEURALNETWORKS_TILE, lower_tile},
    {ANEURALNETWORKS_PAD, lower_pad},
    {ANEURALNETWORKS_PAD_V2, lower_pad_v2},
    {ANEURALNETWORKS_MIRROR_PAD, lower_mirror_pad},
    {ANEURALNETWORKS_REVERSE, lower_reverse},
    {ANEURALNETWORKS_CHANNEL_SHUFFLE, lower_channel_shuffle},
};

}  // namespace

std::span<const LoweringRow> data_movement_lowerings() { return kDataMovementLowerings; }

}  // namespace nnrt::nnapi
