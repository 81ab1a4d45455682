// Operators that slice, split or pad.
#include "core/schema/data_movement/copy_regions.h"
#include "core/schema/data_movement/data_movement.h"
#include "tools/import/tflite/tflite_node_writer.h"
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

void split(Operator& op) {
  const int64_t axis = op.integer(0);
  op.build().operation(Op::split, {op.input(1)}, results(op), {{Attr::axis, axis}});
}

void split_v(Operator& op) {
  const List<int64_t> sizes = op.integers(1, op.output_count());
  const int64_t axis = op.integer(2);
  op.build().operation(Op::split, {op.input(0)}, results(op),
                       {{Attr::axis, axis}, {Attr::size_splits, sizes}});
}

void unpack(Operator& op) {
  const int64_t axis = op.options<format::UnpackOptions>().axis();
  op.build().operation(Op::unstack, {op.input(0)}, results(op), {{Attr::axis, axis}});
}

void slice(Operator& op) { op.write({op.input(0), op.input(1), op.input(2)}); }

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
Range expanded(Operator& op, const format::StridedSliceOptions& options, size_t rank) {
  const List<int64_t> begin = op.integers(1);
  const List<int64_t> end = op.integers(2, begin.size());
  const List<int64_t> strides = op.integers(3, begin.size());
  if (begin.size() > 16) op.damaged("has too many entries");
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
  op.write(Op::strided_slice, std::move(operands),
           {{Attr::begin_mask, masks.begin_mask},
            {Attr::end_mask, masks.end_mask},
            {Attr::new_axis_mask, masks.new_axis_mask},
            {Attr::shrink_axis_mask, masks.shrink_axis_mask}});
}

void strided_slice(Operator& op) {
  const auto& options = op.options<format::StridedSliceOptions>();
  if (options.ellipsis_mask() != 0 || options.offset()) {
    const Range range = expanded(op, options, op.input_tensor(0).shape.size());
    NetworkBuilder& build = op.build();
    emit_strided_slice(
        op, {op.input(0), build.vector(range.begin), build.vector(range.end), build.vector(range.strides)},
        range);
    return;
  }
  Range masks;
  masks.begin_mask = options.begin_mask();
  masks.end_mask = options.end_mask();
  masks.new_axis_mask = options.new_axis_mask();
  masks.shrink_axis_mask = options.shrink_axis_mask();
  emit_strided_slice(op, {op.input(0), op.input(1), op.input(2), op.input(3)}, masks);
}

// A slice with negative strides.
void reverse(Operator& op) {
  const List<int64_t> axes = op.integers(1);
  const auto rank = static_cast<int64_t>(op.rank(op.input(0)));
  List<int64_t> strides(static_cast<size_t>(rank), 1);
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank) op.damaged("has an axis outside its operand's rank");
    strides[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = -1;
  }
  const TensorId zeros = op.vector(List<int64_t>(strides.size(), 0));
  const int64_t whole = (int64_t{1} << rank) - 1;
  op.write({op.input(0), zeros, zeros, op.vector(strides)},
           {{Attr::begin_mask, whole}, {Attr::end_mask, whole}});
}

// PAD has no INT16: 16-bit quantized values become INT32 in between.
void emit_pad(Operator& op, const Settings& settings) {
  if (!is_quantized_wide(op.input_tensor(0))) return op.write({op.input(0), op.input(1)}, settings);
  const TensorId padded = op.emit(Op::pad, {op.cast(op.input(0), DType::i32), op.input(1)}, settings,
                                  {.shape = op.build().shape(op.output())});
  op.write_to(op.output(), Op::cast, {padded, op.build().type_code(DType::i16)});
}

AttrSetting integer_padding(DType dtype, int64_t value) {
  return {Attr::constant_value, AttrValue{.dtype = dtype, .integers = {value}, .floats = {}}};
}

// A float, or a quantized value if the tensor has 16 bits.
AttrSetting padding(const Operator& op, float real) {
  const Tensor from = op.input_tensor(0);
  if (!is_quantized_wide(from)) return {Attr::constant_value, real};
  const double steps = std::round(real / from.quantization.scales[0]) + from.quantization.zero_points[0];
  return integer_padding(DType::i32, static_cast<int64_t>(std::clamp(steps, -32768.0, 32767.0)));
}

// Not every integer is exact in float.
AttrSetting pad_value(Operator& op) {
  const DType dtype = op.build().dtype(op.input(2));
  if (!kIndex.contains(dtype)) return padding(op, op.real(2));
  return integer_padding(dtype, op.integer(2));
}

void pad(Operator& op) {
  Settings settings;
  if (op.has(2)) {
    settings.push_back(pad_value(op));
  } else if (is_quantized_wide(op.input_tensor(0))) {
    settings.push_back(padding(op, 0));
  }
  emit_pad(op, settings);
}

void mirror_pad(Operator& op) {
  const bool is_reflect = op.options<format::MirrorPadOptions>().mode() == format::MirrorPadMode::REFLECT;
  emit_pad(op, {{Attr::padding_mode, is_reflect ? 1 : 2}});
}

// Equal parts, or the sizes of the results.
void write_split(NodeWriter& node) {
  node.use(Attr::output_num);
  const int64_t axis = node.axis(node.integer(Attr::axis), node.rank());
  const int32_t x = node.inputs[0], count = static_cast<int32_t>(node.outputs.size());
  if (!node.has(Attr::size_splits)) {
    format::SplitOptionsT options;
    options.num_splits = count;
    return node.write(SPLIT, options, {node.integer32(axis), x}, node.outputs);
  }
  format::SplitVOptionsT options;
  options.num_splits = count;
  node.write(SPLIT_V, options, {x, node.integers32(node.integers(Attr::size_splits)), node.integer32(axis)},
             node.outputs);
}

void write_unpack(NodeWriter& node) {
  format::UnpackOptionsT options;
  options.axis = node.option(Attr::axis);
  options.num = static_cast<int32_t>(node.outputs.size());
  node.write(UNPACK, options, node.inputs, node.outputs);
}

// Constants are resolved: a slice may name its axes. Others are taken as they are.
void write_slice(NodeWriter& node) {
  const int32_t x = node.requantized(node.inputs[0], node.outputs[0]);
  if (node.view().integers(1) && node.view().integers(node.op() == Op::crop ? 1 : 2)) {
    for (const Attr attr : {Attr::axes, Attr::axis, Attr::offset}) node.use(attr);
    const auto slice = required(data_movement::slice(node.view()));
    List<int64_t> begin(slice.begin.begin(), slice.begin.end()), size(slice.count.begin(), slice.count.end());
    return node.write(SLICE, {x, node.integers32(begin), node.integers32(size)}, node.outputs);
  }
  if (node.op() == Op::crop) node.refuse("a computed shape");
  node.write(SLICE, {x, node.narrowed(1), node.narrowed(2)}, node.outputs);
}

void write_strided_slice(NodeWriter& node) {
  format::StridedSliceOptionsT options;
  options.begin_mask = node.option(Attr::begin_mask);
  options.end_mask = node.option(Attr::end_mask);
  options.new_axis_mask = node.option(Attr::new_axis_mask);
  options.shrink_axis_mask = node.option(Attr::shrink_axis_mask);
  Numbers32 operands{node.requantized(node.inputs[0], node.outputs[0])};
  for (size_t i = 1; i < 4; ++i) operands.push_back(node.narrowed(i));
  node.write(STRIDED_SLICE, options, operands, node.outputs);
}

// The value, with the quantization of the result.
int32_t pad_constant(NodeWriter& node) {
  const format::TensorT& result = node.tensor(node.outputs[0]);
  const bool has_number = node.dtype() == DType::f32 || node.dtype() == DType::i32 ||
                          node.dtype() == DType::i64 || (node.dtype() == DType::i8 && result.quantization);
  if (!has_number) node.refuse("a value for ", name(node.dtype()));
  return node.constant(result, {1}, fill_element(node.view()));
}

void write_pad(NodeWriter& node) {
  const int64_t mode = node.has(Attr::padding_mode) ? node.integer(Attr::padding_mode) : 0;
  const int32_t paddings = node.narrowed(1);
  const double value = node.has(Attr::constant_value) ? node.real(Attr::constant_value) : 0;
  const int32_t x = node.requantized(node.inputs[0], node.outputs[0]);
  if (mode != 0) {
    format::MirrorPadOptionsT options;
    options.mode = mode == 1 ? format::MirrorPadMode::REFLECT : format::MirrorPadMode::SYMMETRIC;
    node.write(MIRROR_PAD, options, {x, paddings}, node.outputs);
  } else if (value == 0) {
    node.write(PAD, {x, paddings}, node.outputs);
  } else {
    node.write(PADV2, {x, paddings, pad_constant(node)}, node.outputs);
  }
}

constexpr Row kSliceRows[] = {
    {SPLIT, 2, 2, Numbers::any, split, Op::split, write_split},
    {SPLIT_V, 3, 3, Numbers::any, split_v, Op::split},
    {UNPACK, 1, 1, Numbers::any, unpack, Op::unstack, write_unpack},
    {SLICE, 3, 3, Numbers::any, slice, Op::slice, write_slice},
    written(SLICE, Op::crop, Numbers::any, write_slice),
    {STRIDED_SLICE, 4, 4, Numbers::any, strided_slice, Op::strided_slice, write_strided_slice},
    {REVERSE_V2, 2, 2, Numbers::any, reverse, Op::strided_slice},
    {PAD, 2, 2, Numbers::any, pad, Op::pad, write_pad},
    {PADV2, 3, 3, Numbers::any, pad, Op::pad},
    {MIRROR_PAD, 2, 2, Numbers::any, mirror_pad, Op::pad},
};

}  // namespace

std::span<const Row> slice_rows() { return kSliceRows; }

}  // namespace nnrt::import::tflite
