// Slice, with constant or dynamic begins and ends.
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>
#include <limits>
#include <span>

namespace nnrt::import::onnx {
namespace {

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

std::vector<Row> slice_rows() { return {{"Slice", slice, {}, 1}}; }

}  // namespace nnrt::import::onnx
