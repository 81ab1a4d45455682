// Slice, with constant or dynamic begins and ends.
#include "tools/import/onnx/onnx_formula.h"

#include <algorithm>
#include <limits>
#include <numeric>
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

Result<Entries> read_entries(Call& call, std::string_view attribute, size_t input) {
  if (call.attributes.has(attribute)) return Entries{call.attributes.integers(attribute)};
  if (!call.has(input)) return Entries{};
  NNRT_ASSIGN(const TensorId id, call.plain_input(input));
  if (auto known = call.emitter().known_integers(id)) return Entries{*std::move(known)};
  if (call.rank(id) != 1 || call.shape(id)[0] == kUnknown)
    return unsupported("The number of entries of input ", input, " (", call.emitter().tensor(id).name,
                       ") is known only at run time.");
  NNRT_ASSIGN(const TensorId wide, call.cast(id, DType::i64));
  return Entries{{}, wide};
}

struct Range {
  Entries begin, end, step;
  List<int64_t> axes;
};

Result<Range> read_range(Call& call, int64_t rank) {
  Range range;
  NNRT_ASSIGN(range.begin, read_entries(call, "starts", 1));
  NNRT_ASSIGN(range.end, read_entries(call, "ends", 2));
  NNRT_ASSIGN(range.axes, call.integers("axes", 3));
  NNRT_ASSIGN(range.step, read_entries(call, "", 4));
  const size_t count = range.begin.count(call);
  if (range.axes.empty()) {
    range.axes.resize(count);
    std::iota(range.axes.begin(), range.axes.end(), int64_t{0});
  }
  if (range.step.count(call) == 0) range.step.known.assign(count, 1);
  if (range.end.count(call) != count || range.axes.size() != count || range.step.count(call) != count)
    return damaged("Starts, ends, axes and steps differ in length.");
  for (int64_t& axis : range.axes) {
    NNRT_ASSIGN(axis, call.axis(axis, rank));
  }
  return range;
}

// A negative step begins no earlier than at the first element, while STRIDED_SLICE takes nothing then.
Result<TensorId> clamped_begin(Call& call, TensorId x, TensorId begin, TensorId step) {
  const Dims& shape = call.shape(x);
  auto begins = call.emitter().known_integers(begin);
  const auto steps = call.emitter().known_integers(step);
  bool is_known = begins && steps, is_early = !is_known;
  for (size_t d = 0; is_known && d < shape.size(); ++d) {
    if (steps->at(d) > 0 || begins->at(d) >= -1) continue;
    is_early = true;
    is_known = shape[d] != kUnknown;
    begins->at(d) = std::max(begins->at(d), -shape[d]);
  }
  if (!is_early) return begin;
  if (is_known) return call.emitter().integers(*begins);
  Formula f(call);
  const TensorId lengths = f.cast(f.emit(OH_NN_OPS_SHAPE, {x}), DType::i64);
  return f.max(begin, f.neg(lengths));
}

// Expands to one value per dimension; `other` for missing entries.
Result<TensorId> for_dimensions(Call& call, const Entries& entries, std::span<const int64_t> axes,
                                int64_t dimensions, int64_t other) {
  Emitter& emitter = call.emitter();
  const auto rank = static_cast<size_t>(dimensions);
  if (!entries.computed) {
    List<int64_t> all(rank, other);
    for (size_t i = 0; i < axes.size(); ++i) all[static_cast<size_t>(axes[i])] = entries.known[i];
    return emitter.integers(all);
  }
  List<int64_t> places(rank, static_cast<int64_t>(axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) places[static_cast<size_t>(axes[i])] = static_cast<int64_t>(i);
  NNRT_ASSIGN(const TensorId all, call.emit(OH_NN_OPS_CONCAT, {*entries.computed, emitter.integers({other})},
                                            {int64_parameter(OH_NN_CONCAT_AXIS, 0)}));
  return call.emit(OH_NN_OPS_GATHER, {all, emitter.integers(places), emitter.integers({0})});
}

// Dynamic axes: begins, ends and steps are scattered to their dimensions.
Result<Ids> slice_along_any(Call& call, TensorId x, TensorId given) {
  if (call.rank(given) != 1) return damaged("The axes have rank (", call.rank(given), ") instead of 1.");
  Formula f(call);
  const auto rank = static_cast<size_t>(call.rank(x));
  const TensorId axes = f.cast(given, DType::i64);
  const auto placed = [&](size_t input, int64_t other) {
    const TensorId others = f.integers(List<int64_t>(rank, other));
    return call.has(input) ? f.emit(extension(OH_NN_OPS_SCATTER_ELEMENTS),
                                    {others, axes, f.cast(f.input(input), DType::i64)})
                           : others;
  };
  const TensorId begin = placed(1, 0), end = placed(2, std::numeric_limits<int32_t>::max()),
                 step = placed(4, 1);
  NNRT_ASSIGN(const TensorId first, clamped_begin(call, x, begin, step));
  return Ids{f.emit(OH_NN_OPS_STRIDED_SLICE, {x, first, end, step}, {}, {.shape = Dims(rank, kUnknown)})};
}

Result<Ids> slice(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  if (!call.attributes.has("axes") && call.has(3)) {
    NNRT_ASSIGN(const TensorId axes, call.plain_input(3));
    if (!call.emitter().known_integers(axes)) return slice_along_any(call, x, axes);
  }
  NNRT_ASSIGN(const Range range, read_range(call, call.rank(x)));
  if (range.axes.empty()) return Ids{x};
  int64_t whole = (int64_t{1} << call.rank(x)) - 1;  // dimensions to keep entirely
  Dims shape = call.shape(x);
  for (const int64_t axis : range.axes) {
    whole &= ~(int64_t{1} << axis);
    shape[static_cast<size_t>(axis)] = kUnknown;
  }
  NNRT_ASSIGN(TensorId begin, for_dimensions(call, range.begin, range.axes, call.rank(x), 0));
  NNRT_ASSIGN(const TensorId end, for_dimensions(call, range.end, range.axes, call.rank(x), 0));
  NNRT_ASSIGN(const TensorId step, for_dimensions(call, range.step, range.axes, call.rank(x), 1));
  NNRT_ASSIGN(begin, clamped_begin(call, x, begin, step));
  return single(call.emit(OH_NN_OPS_STRIDED_SLICE, {x, begin, end, step},
                          {int64_parameter(OH_NN_STRIDED_SLICE_BEGIN_MASK, whole),
                           int64_parameter(OH_NN_STRIDED_SLICE_END_MASK, whole)},
                          {.shape = shape}));
}

}  // namespace

std::vector<Row> slice_rows() { return {{"Slice", slice, {}, 1}}; }

}  // namespace nnrt::import::onnx
