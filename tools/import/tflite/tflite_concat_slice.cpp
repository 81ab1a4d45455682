// Operators that slice, split or pad.
#include "core/schema/data_movement/copy_regions.h"
#include "core/schema/data_movement/data_movement.h"
#include "core/writer/slice_ranges.h"
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <bit>
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

// Ends may be relative to the begin.
void strided_slice(Operator& op) {
  const auto& options = op.options<format::StridedSliceOptions>();
  SliceRanges ranges{{},
                     {},
                     {},
                     options.begin_mask(),
                     options.end_mask(),
                     options.new_axis_mask(),
                     options.shrink_axis_mask()};
  if (options.ellipsis_mask() == 0 && !options.offset())
    return op.write({op.input(0), op.input(1), op.input(2), op.input(3)}, ranges.masks());
  ranges.begin = op.integers(1);
  const size_t count = ranges.begin.size();
  ranges.end = op.integers(2, count);
  ranges.strides = op.integers(3, count);
  if (count > 16) op.damaged("has too many entries");
  if (std::popcount(static_cast<uint32_t>(options.ellipsis_mask())) > 1) op.damaged("has several ellipses");
  for (size_t i = 0; options.offset() && i < count; ++i) ranges.end[i] += ranges.begin[i];
  ranges = ranges.without_ellipsis(options.ellipsis_mask(), op.rank(op.input(0)));
  op.write({op.input(0), op.vector(ranges.begin), op.vector(ranges.end), op.vector(ranges.strides)},
           ranges.masks());
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
