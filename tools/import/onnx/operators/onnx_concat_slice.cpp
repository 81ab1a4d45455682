// Operators that concatenate, split, slice or pad tensors.
#include "core/base/element_types.h"
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>
#include <limits>
#include <span>

namespace nnrt::import::onnx {
namespace {

Ids concat(Call& call) {
  const Ids inputs = call.all_inputs();
  if (inputs.empty()) fail(damaged("Input 0 is absent."));
  const int64_t axis = call.attributes.integer("axis", 0);
  Ids parts;  // without empty parts, which exported shape arithmetic produces
  for (const TensorId id : inputs) {
    if (!std::ranges::count(call.shape(id), 0)) parts.push_back(id);
  }
  return {call.concat(parts.empty() ? inputs : parts, axis)};
}

// Equal part lengths; the last may be shorter.
List<int64_t> equal_parts(int64_t length, int64_t count) {
  const int64_t part = (length + count - 1) / count;
  List<int64_t> sizes(static_cast<size_t>(count), part);
  sizes.back() = length - part * (count - 1);
  return sizes;
}

// Dynamic part lengths, which must add up to the dimension's.
Ids split_by_sums(Call& call, TensorId x, TensorId given, int64_t axis) {
  const auto count = static_cast<int64_t>(call.wanted.size());
  if (call.rank(given) != 1 || (call.shape(given)[0] != count && call.shape(given)[0] != kUnknown))
    fail(damaged("The shape of the part lengths ", to_string(call.shape(given)), " is not [", count, "]."));
  const TensorId lengths = call.reshape(call.cast(given, DType::i64), {count});
  const TensorId ends = call.emit(Op::cum_sum, {lengths}), begins = call.sub(ends, lengths);
  const TensorId shape = call.shape_as_tensor(x);
  const TensorId fits =
      call.equal(call.slice(ends, 0, count - 1, count), call.slice(shape, 0, axis, axis + 1));
  const TensorId checked = call.emit(Op::assert_, {call.reshape(fits, {}), x});
  const auto entry = [&](TensorId all, int64_t part) { return call.slice(all, 0, part, part + 1); };
  Ids parts;
  for (int64_t part = 0; part < count; ++part)
    parts.push_back(call.slice_between(checked, axis, entry(begins, part), entry(ends, part)));
  return parts;
}

Ids split(Call& call) {
  const TensorId x = call.input(0);
  const int64_t axis = call.axis(call.attributes.integer("axis", 0), call.rank(x));
  if (!call.attributes.has("split") && call.has(1)) {
    const TensorId given = call.plain_input(1);
    if (!call.known_integers(given)) return split_by_sums(call, x, given, axis);
  }
  List<int64_t> sizes = call.integers("split", 1);
  const size_t count = call.wanted.size();
  const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
  if (sizes.empty() && length != kUnknown) sizes = equal_parts(length, static_cast<int64_t>(count));
  if (count == 1) return {x};
  Settings settings{{Attr::axis, axis}, {Attr::output_num, count}};
  if (!sizes.empty()) settings.push_back({Attr::size_splits, sizes});
  return call.emitter().emit_many(Op::split, {x}, settings, {.count = count});
}

// The constant of a Pad: a float if the input is float or quantized, otherwise of its own dtype.
AttrSetting pad_value(Call& call, TensorId x) {
  if (!call.has(2)) return {Attr::constant_value, call.attributes.real("value", 0)};
  const Tensor& constant = call.tensor(call.plain_input(2));
  if (!constant.data) fail(unsupported("Input 2 (", constant.name, ") is not a constant."));
  const DType dtype = call.dtype(x);
  const bool is_float_or_bool = kFloat.contains(dtype) || dtype == DType::boolean;
  const bool is_own = constant.type == static_cast<OH_NN_DataType>(dtype) && !is_float_or_bool &&
                      call.tensor(x).quantization.empty();
  if (is_own && constant.data->size() == size_of(dtype)) {
    AttrValue own{.dtype = dtype, .integers = {}, .floats = {}};
    if (is_float(dtype))
      own.floats = numbers_of<double>(dtype, *constant.data);
    else
      own.integers = numbers_of<int64_t>(dtype, *constant.data);
    return {Attr::constant_value, own};
  }
  const List<double> values = call.numbers(2);
  return {Attr::constant_value, values.empty() ? 0.0f : static_cast<float>(values[0])};
}

TensorId padded(Call& call, TensorId x, TensorId paddings, AttrSetting value) {
  const std::string mode = call.attributes.text("mode", "constant");
  const Outputs open{.shape = Dims(static_cast<size_t>(call.rank(x)), kUnknown)};
  if (mode == "edge") return call.emit(Op::pad_edge, {x, paddings}, {}, open);
  if (mode == "wrap") return call.emit(Op::pad_wrap, {x, paddings}, {}, open);
  if (mode != "constant" && mode != "reflect")
    fail(unsupported("Padding mode (", mode, ") is not supported."));
  return call.emit(Op::pad, {x, paddings},
                   {std::move(value), {Attr::padding_mode, mode == "reflect" ? 1 : 0}}, open);
}

// Pads in PAD's layout, [rank, 2].
TensorId read_paddings(Call& call, int64_t rank) {
  constexpr int64_t kMaxPad = std::numeric_limits<int32_t>::max();
  const bool is_attribute = call.attributes.has("pads");
  const TensorId given = is_attribute ? call.vector(call.attributes.integers("pads")) : call.input(1);
  for (const int64_t pad : call.known_integers(given).value_or(List<int64_t>())) {
    if (pad < -kMaxPad || pad > kMaxPad)
      fail(damaged("A pad (", pad, ") is outside [", -kMaxPad, ", ", kMaxPad, "]."));
  }
  const List<int64_t> axes = !is_attribute && call.has(3) ? call.integers(3) : axes_between(0, rank);
  const auto count = static_cast<int64_t>(axes.size());
  if (!compatible(call.shape(given), {2 * count}))
    fail(damaged("The number of pads ", to_string(call.shape(given)), " is not twice the number of axes (",
                 count, ")."));
  List<int64_t> places(static_cast<size_t>(2 * rank), 2 * count);  // 2 * count: a zero
  for (int64_t i = 0; i < count; ++i) {
    const int64_t axis = call.axis(axes[static_cast<size_t>(i)], rank);
    places[static_cast<size_t>(2 * axis)] = i;
    places[static_cast<size_t>(2 * axis + 1)] = count + i;
  }
  const TensorId all =
      call.concat({call.reshape(call.cast(given, DType::i64), {2 * count}), call.vector({0})}, 0);
  return call.reshape(call.gather(all, call.vector(places), 0), {rank, 2});
}

// Pads in PAD's layout, as far as known, may not crop more elements than there are.
void check_crop(const Dims& shape, const List<int64_t>& pads) {
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t before = pads[2 * d], after = pads[2 * d + 1];
    if (shape[d] != kUnknown && shape[d] + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0) < 0)
      fail(damaged("The pads (", before, " and ", after, ") crop more than dimension ", d, " (", shape[d],
                   ") has."));
  }
}

// Crops by negative pads, which become 0.
TensorId cropped(Call& call, TensorId x, TensorId& paddings) {
  const int64_t rank = call.rank(x);
  const TensorId before = call.reshape(call.slice(paddings, 1, 0, 1), {rank});
  const TensorId after = call.reshape(call.slice(paddings, 1, 1, 2), {rank});
  const TensorId zero = call.number(after, 0),
                 whole = call.number(after, std::numeric_limits<int32_t>::max());
  const TensorId end = call.where(call.less(after, zero), after, whole);
  paddings = call.max(paddings, zero);
  return call.emit(
      Op::strided_slice,
      {x, call.max(call.neg(before), zero), end, call.vector(List<int64_t>(static_cast<size_t>(rank), 1))},
      {}, {.shape = Dims(static_cast<size_t>(rank), kUnknown)});
}

Ids pad(Call& call) {
  TensorId x = call.input(0);
  const int64_t rank = call.rank(x);
  AttrSetting value = pad_value(call, x);
  TensorId paddings = read_paddings(call, rank);
  const auto known = call.known_integers(paddings);
  if (known && std::ranges::all_of(*known, [](int64_t pad) { return pad == 0; })) return {x};
  if (!known || std::ranges::any_of(*known, [](int64_t pad) { return pad < 0; })) {
    if (known) check_crop(call.shape(x), *known);
    x = cropped(call, x, paddings);
  }
  return {padded(call, x, paddings, std::move(value))};
}

// Values for some dimensions: constant, or a vector computed at run time.
struct Entries {
  List<int64_t> known;
  std::optional<TensorId> computed{};

  size_t count(const Call& call) const {
    return computed ? static_cast<size_t>(call.shape(*computed)[0]) : known.size();
  }
};

Entries read_entries(Call& call, std::string_view attribute, size_t input) {
  if (call.attributes.has(attribute)) return Entries{call.attributes.integers(attribute)};
  if (!call.has(input)) return Entries{};
  const TensorId id = call.plain_input(input);
  if (auto known = call.known_integers(id)) return Entries{*std::move(known)};
  if (call.rank(id) != 1 || call.shape(id)[0] == kUnknown)
    fail(unsupported("The number of entries of input ", input, " (", call.tensor(id).name,
                     ") is known only at run time."));
  return Entries{{}, call.cast(id, DType::i64)};
}

struct Range {
  Entries begin, end, step;
  List<int64_t> axes;
};

Range read_range(Call& call, int64_t rank) {
  Range range;
  range.begin = read_entries(call, "starts", 1);
  range.end = read_entries(call, "ends", 2);
  range.axes = call.integers("axes", 3);
  range.step = read_entries(call, "", 4);
  const size_t count = range.begin.count(call);
  if (range.axes.empty()) range.axes = axes_between(0, static_cast<int64_t>(count));
  if (range.step.count(call) == 0) range.step.known.assign(count, 1);
  if (range.end.count(call) != count || range.axes.size() != count || range.step.count(call) != count)
    fail(damaged("Starts, ends, axes and steps differ in length."));
  for (int64_t& axis : range.axes) axis = call.axis(axis, rank);
  return range;
}

// A negative step begins no earlier than at the first element, while STRIDED_SLICE takes nothing then.
TensorId clamped_begin(Call& call, TensorId x, TensorId begin, TensorId step) {
  const Dims& shape = call.shape(x);
  auto begins = call.known_integers(begin);
  const auto steps = call.known_integers(step);
  bool is_known = begins && steps, is_early = !is_known;
  for (size_t d = 0; is_known && d < shape.size(); ++d) {
    if (steps->at(d) > 0 || begins->at(d) >= -1) continue;
    is_early = true;
    is_known = shape[d] != kUnknown;
    begins->at(d) = std::max(begins->at(d), -shape[d]);
  }
  if (!is_early) return begin;
  if (is_known) return call.vector(*begins);
  return call.max(begin, call.neg(call.shape_as_tensor(x)));
}

// Expands to one value per dimension; `other` for missing entries.
TensorId for_dimensions(Call& call, const Entries& entries, std::span<const int64_t> axes, int64_t dimensions,
                        int64_t other) {
  const auto rank = static_cast<size_t>(dimensions);
  if (!entries.computed) {
    List<int64_t> all(rank, other);
    for (size_t i = 0; i < axes.size(); ++i) all[static_cast<size_t>(axes[i])] = entries.known[i];
    return call.vector(all);
  }
  List<int64_t> places(rank, static_cast<int64_t>(axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) places[static_cast<size_t>(axes[i])] = static_cast<int64_t>(i);
  return call.gather(call.concat({*entries.computed, call.vector({other})}, 0), call.vector(places), 0);
}

// Dynamic axes: begins, ends and steps are scattered to their dimensions.
Ids slice_along_any(Call& call, TensorId x, TensorId given) {
  if (call.rank(given) != 1) fail(damaged("The axes have rank (", call.rank(given), ") instead of 1."));
  const auto rank = static_cast<size_t>(call.rank(x));
  const TensorId axes = call.cast(given, DType::i64);
  const auto placed = [&](size_t input, int64_t other) {
    const TensorId others = call.vector(List<int64_t>(rank, other));
    return call.has(input)
               ? call.emit(Op::scatter_elements, {others, axes, call.cast(call.input(input), DType::i64)})
               : others;
  };
  const TensorId begin = placed(1, 0), end = placed(2, std::numeric_limits<int32_t>::max()),
                 step = placed(4, 1);
  const TensorId first = clamped_begin(call, x, begin, step);
  return {call.emit(Op::strided_slice, {x, first, end, step}, {}, {.shape = Dims(rank, kUnknown)})};
}

Ids slice(Call& call) {
  const TensorId x = call.input(0);
  if (!call.attributes.has("axes") && call.has(3)) {
    const TensorId axes = call.plain_input(3);
    if (!call.known_integers(axes)) return slice_along_any(call, x, axes);
  }
  const Range range = read_range(call, call.rank(x));
  if (range.axes.empty()) return {x};
  int64_t whole = (int64_t{1} << call.rank(x)) - 1;  // dimensions to keep entirely
  Dims shape = call.shape(x);
  for (const int64_t axis : range.axes) {
    whole &= ~(int64_t{1} << axis);
    shape[static_cast<size_t>(axis)] = kUnknown;
  }
  TensorId begin = for_dimensions(call, range.begin, range.axes, call.rank(x), 0);
  const TensorId end = for_dimensions(call, range.end, range.axes, call.rank(x), 0);
  const TensorId step = for_dimensions(call, range.step, range.axes, call.rank(x), 1);
  begin = clamped_begin(call, x, begin, step);
  return {call.emit(Op::strided_slice, {x, begin, end, step},
                    {{Attr::begin_mask, whole}, {Attr::end_mask, whole}}, {.shape = shape})};
}

}  // namespace

std::vector<Row> concat_slice_rows() {
  return {
      {"Concat", concat, {}, kAllInputsQuantized},
      {"Pad", pad, {}, 1},
      {"Slice", slice, {}, 1},
      {"Split", split},
  };
}

}  // namespace nnrt::import::onnx
