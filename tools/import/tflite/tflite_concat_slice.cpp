// Operators that slice, split or pad.
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <cmath>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

List<TensorId> results(Operator& op) {
  List<TensorId> ids;
  for (size_t i = 0; i < op.output_count(); ++i) ids.push_back(op.result(i));
  return ids;
}

Status split(Operator& op) {
  NNRT_ASSIGN(const int64_t axis, op.integer(0));
  op.build().operation(OH_NN_OPS_SPLIT, {op.input(1)}, results(op),
                       {int64_parameter(OH_NN_SPLIT_AXIS, axis)});
  return {};
}

Status split_v(Operator& op) {
  NNRT_ASSIGN(const List<int64_t> sizes, op.integers(1, op.output_count()));
  NNRT_ASSIGN(const int64_t axis, op.integer(2));
  op.build().operation(
      OH_NN_OPS_SPLIT, {op.input(0)}, results(op),
      {int64_parameter(OH_NN_SPLIT_AXIS, axis), int64s_parameter(OH_NN_SPLIT_SIZE_SPLITS, sizes)});
  return {};
}

Status unpack(Operator& op) {
  const int64_t axis = op.options<format::UnpackOptions>().axis();
  op.build().operation(OH_NN_OPS_UNSTACK, {op.input(0)}, results(op),
                       {int64_parameter(OH_NN_UNSTACK_AXIS, axis)});
  return {};
}

Status slice(Operator& op) {
  op.emit({op.input(0), op.input(1), op.input(2)});
  return {};
}

struct Range {
  List<int64_t> begin, end, strides;
  int64_t begin_mask = 0, end_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;

  void add(int64_t from, int64_t to, int64_t stride, bool no_begin, bool no_end, bool is_new,
           bool is_shrunk) {
    const int64_t bit = int64_t{1} << begin.size();
    begin.push_back(from);
    end.push_back(to);
    strides.push_back(stride);
    begin_mask |= no_begin ? bit : 0;
    end_mask |= no_end ? bit : 0;
    new_axis_mask |= is_new ? bit : 0;
    shrink_axis_mask |= is_shrunk ? bit : 0;
  }
};

// An ellipsis covers the dimensions the other entries leave; in OH_NN it always covers one. Ends may be
// relative to the begin.
Result<Range> expanded(Operator& op, const format::StridedSliceOptions& options, size_t rank) {
  NNRT_ASSIGN(const List<int64_t> begin, op.integers(1));
  NNRT_ASSIGN(const List<int64_t> end, op.integers(2, begin.size()));
  NNRT_ASSIGN(const List<int64_t> strides, op.integers(3, begin.size()));
  if (begin.size() > 16) return op.damaged("has too many entries");
  const auto bit = [](int32_t mask, size_t i) { return (mask >> i & 1) != 0; };
  size_t used = 0;
  for (size_t i = 0; i < begin.size(); ++i)
    used += bit(options.new_axis_mask(), i) || bit(options.ellipsis_mask(), i) ? 0 : 1;
  Range range;
  for (size_t i = 0; i < begin.size(); ++i) {
    if (bit(options.ellipsis_mask(), i)) {
      for (size_t d = used; d < rank; ++d) range.add(0, 0, 1, true, true, false, false);
      continue;
    }
    const int64_t from = begin[i], to = options.offset() ? from + end[i] : end[i];
    range.add(from, to, strides[i], bit(options.begin_mask(), i), bit(options.end_mask(), i),
              bit(options.new_axis_mask(), i), bit(options.shrink_axis_mask(), i));
  }
  return range;
}

void emit_strided_slice(Operator& op, List<TensorId> operands, const Range& masks) {
  op.emit(OH_NN_OPS_STRIDED_SLICE, std::move(operands),
          {int64_parameter(OH_NN_STRIDED_SLICE_BEGIN_MASK, masks.begin_mask),
           int64_parameter(OH_NN_STRIDED_SLICE_END_MASK, masks.end_mask),
           int64_parameter(OH_NN_STRIDED_SLICE_NEW_AXIS_MASK, masks.new_axis_mask),
           int64_parameter(OH_NN_STRIDED_SLICE_SHRINK_AXIS_MASK, masks.shrink_axis_mask)});
}

Status strided_slice(Operator& op) {
  const auto& options = op.options<format::StridedSliceOptions>();
  if (options.ellipsis_mask() != 0 || options.offset()) {
    NNRT_ASSIGN(const Range range, expanded(op, options, op.input_tensor(0).shape.size()));
    NetworkBuilder& build = op.build();
    emit_strided_slice(
        op, {op.input(0), build.vector(range.begin), build.vector(range.end), build.vector(range.strides)},
        range);
    return {};
  }
  Range masks;
  masks.begin_mask = options.begin_mask();
  masks.end_mask = options.end_mask();
  masks.new_axis_mask = options.new_axis_mask();
  masks.shrink_axis_mask = options.shrink_axis_mask();
  emit_strided_slice(op, {op.input(0), op.input(1), op.input(2), op.input(3)}, masks);
  return {};
}

// A slice with negative strides.
Status reverse(Operator& op) {
  NNRT_ASSIGN(const List<int64_t> axes, op.integers(1));
  const auto rank = static_cast<int64_t>(op.input_tensor(0).shape.size());
  Range range;
  for (int64_t d = 0; d < rank; ++d) range.add(0, 0, 1, true, true, false, false);
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank) return op.damaged("has an axis outside its operand's rank");
    range.strides[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = -1;
  }
  NetworkBuilder& build = op.build();
  emit_strided_slice(
      op, {op.input(0), build.vector(range.begin), build.vector(range.end), build.vector(range.strides)},
      range);
  return {};
}

// PAD has no INT16: 16-bit quantized values become INT32 in between.
void emit_pad(Operator& op, std::vector<Parameter> parameters) {
  const Tensor from = op.input_tensor(0), to = op.output_tensor();
  if (!is_quantized_wide(from)) return op.emit({op.input(0), op.input(1)}, std::move(parameters));
  NetworkBuilder& build = op.build();
  const auto cast_to = [&](OH_NN_DataType type) { return build.scalar<int32_t>(type); };
  const TensorId integers =
      build.derive(OH_NN_OPS_CAST, {op.input(0), cast_to(OH_NN_INT32)}, OH_NN_INT32, from.shape);
  const TensorId padded =
      build.derive(OH_NN_OPS_PAD, {integers, op.input(1)}, OH_NN_INT32, to.shape, std::move(parameters));
  build.operation(OH_NN_OPS_CAST, {padded, cast_to(OH_NN_INT16)}, {op.output()});
}

// A float, or a quantized value if the tensor has 16 bits.
Parameter padding(const Operator& op, float real) {
  const Tensor from = op.input_tensor(0);
  if (!is_quantized_wide(from)) return float_parameter(OH_NN_PAD_CONSTANT_VALUE, real);
  const double steps = std::round(real / from.quantization.scales[0]) + from.quantization.zero_points[0];
  return int32_parameter(OH_NN_PAD_CONSTANT_VALUE,
                         static_cast<int32_t>(std::clamp(steps, -32768.0, 32767.0)));
}

// Not every integer is exact in float.
Result<Parameter> pad_value(Operator& op) {
  constexpr OH_NN_TensorType kRole = OH_NN_PAD_CONSTANT_VALUE;
  const OH_NN_DataType type = op.input_tensor(2).type;
  if (type != OH_NN_INT32 && type != OH_NN_INT64) {
    NNRT_ASSIGN(const float value, op.real(2));
    return padding(op, value);
  }
  NNRT_ASSIGN(const int64_t value, op.integer(2));
  if (type == OH_NN_INT64) return int64_parameter(kRole, value);
  return int32_parameter(kRole, static_cast<int32_t>(value));
}

Status pad(Operator& op) {
  std::vector<Parameter> parameters;
  if (op.has(2)) {
    NNRT_ASSIGN(parameters.emplace_back(), pad_value(op));
  } else if (is_quantized_wide(op.input_tensor(0))) {
    parameters.push_back(padding(op, 0));
  }
  emit_pad(op, std::move(parameters));
  return {};
}

Status mirror_pad(Operator& op) {
  const bool is_reflect = op.options<format::MirrorPadOptions>().mode() == format::MirrorPadMode::REFLECT;
  emit_pad(op, {int32_parameter(OH_NN_PAD_PADDING_MODE, is_reflect ? 1 : 2)});
  return {};
}

constexpr Row kSliceRows[] = {
    {SPLIT, 2, 2, Numbers::any, split, OH_NN_OPS_SPLIT},
    {SPLIT_V, 3, 3, Numbers::any, split_v, OH_NN_OPS_SPLIT},
    {UNPACK, 1, 1, Numbers::any, unpack, OH_NN_OPS_UNSTACK},
    {SLICE, 3, 3, Numbers::any, slice, OH_NN_OPS_SLICE},
    {STRIDED_SLICE, 4, 4, Numbers::any, strided_slice, OH_NN_OPS_STRIDED_SLICE},
    {REVERSE_V2, 2, 2, Numbers::any, reverse, OH_NN_OPS_STRIDED_SLICE},
    {PAD, 2, 2, Numbers::any, pad, OH_NN_OPS_PAD},
    {PADV2, 3, 3, Numbers::any, pad, OH_NN_OPS_PAD},
    {MIRROR_PAD, 2, 2, Numbers::any, mirror_pad, OH_NN_OPS_PAD},
};

}  // namespace

std::span<const Row> slice_rows() { return kSliceRows; }

}  // namespace nnrt::import::tflite
