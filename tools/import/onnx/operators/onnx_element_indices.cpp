// Operators that select individual elements by index, position or value.
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/operators/onnx_operands.h"

#include <algorithm>
#include <array>
#include <limits>

namespace nnrt::import::onnx {
namespace {

Ids gather_elements(Call& call) {
  const TensorId x = call.input(0), indices = call.plain_input(1);
  const int64_t axis = call.attributes.integer("axis", 0);
  return {call.emit(Op::gather_elements, {x, indices}, {{Attr::axis, axis}})};
}

// Also Scatter, its original name.
Ids scatter_elements(Call& call) {
  const TensorId x = call.input(0), indices = call.plain_input(1), updates = call.input(2);
  const int8_t reduction = scatter_reduction(call);
  const int64_t axis = call.attributes.integer("axis", 0);
  return {call.emit(Op::scatter_elements, {x, indices, updates},
                    {{Attr::axis, axis}, {Attr::reduction, reduction}})};
}

TensorId cum_sum_along(Call& call, TensorId x, int64_t axis) {
  const bool exclusive = call.attributes.flag("exclusive");
  const bool reverse = call.attributes.flag("reverse");
  return call.emit(Op::cum_sum, {x},
                   {{Attr::axis, axis}, {Attr::exclusive, exclusive}, {Attr::reverse, reverse}});
}

// Dynamic axis: computes the sum along every axis and selects one.
Ids cum_sum_along_any(Call& call, TensorId x, TensorId given) {
  const int64_t rank = call.rank(x);
  const TensorId axis = call.reshape(given, {});
  const TensorId is_negative = call.less(axis, 0.0),
                 from_front = call.where(is_negative, call.add(axis, double(rank)), axis);
  const TensorId fits = call.emit(
      Op::logical_and, {call.less(call.number(axis, -1), from_front), call.less(from_front, double(rank))});
  TensorId chosen = cum_sum_along(call, x, 0);
  for (int64_t d = 1; d < rank; ++d)
    chosen = call.where(call.equal(from_front, double(d)), cum_sum_along(call, x, d), chosen);
  return {call.emit(Op::assert_, {fits, chosen})};
}

Ids cum_sum(Call& call) {
  const TensorId x = call.input(0), given = call.plain_input(1);
  const auto axis = call.known_integers(given);
  if (!axis) return cum_sum_along_any(call, x, given);
  if (axis->size() != 1) fail(damaged("The axis is not a scalar."));
  return {cum_sum_along(call, x, axis->front())};
}

// Doubles the number of factors in each step.
Ids cum_product(Call& call) {
  const TensorId x = call.input(0);
  const List<int64_t> given = call.integers(1);
  if (given.size() != 1) fail(damaged("The axis is not a scalar."));
  const int64_t axis = call.axis(given[0], call.rank(x)), length = call.length(x, axis);
  const bool reverse = call.attributes.flag("reverse");
  const auto moved = [&](TensorId y, int64_t by) {
    List<int64_t> pads(2 * static_cast<size_t>(call.rank(x)), 0);
    pads[static_cast<size_t>(2 * axis + (reverse ? 1 : 0))] = by;
    const TensorId rest = reverse ? call.slice(y, axis, by, length) : call.slice(y, axis, 0, length - by);
    return call.padded(rest, pads, 1);
  };
  const bool is_half = call.dtype(x) == DType::f16;
  TensorId y = is_half ? call.cast(x, DType::f32) : x;
  if (call.attributes.flag("exclusive") && length > 0) y = moved(y, 1);
  for (int64_t by = 1; by < length; by *= 2) y = call.mul(y, moved(y, by));
  return {is_half ? call.cast(y, DType::f16) : y};
}

Ids trilu(Call& call) {
  Ids operands{call.input(0)};
  Settings settings{{Attr::upper, call.attributes.flag("upper", true)}};
  if (call.has(1)) {
    const TensorId diagonal = call.plain_input(1);
    const auto known = call.known_integers(diagonal);
    if (known && known->size() != 1) fail(damaged("The diagonal is not a scalar."));
    if (known) settings.push_back({Attr::diagonal, known->front()});
    if (!known) operands.push_back(diagonal);
  }
  return {call.emit(Op::trilu, operands, settings)};
}

Ids non_zero(Call& call) {
  return {call.emit(Op::non_zero, {call.plain_input(0)}, {}, {.dtypes = {DType::i64}})};
}

Ids non_max_suppression(Call& call) {
  const TensorId boxes = call.input(0), scores = call.input(1);
  const auto given = [&](size_t i, DType dtype, double fallback) -> TensorId {
    return call.has(i) ? call.plain_input(i) : call.number(dtype, fallback);
  };
  const TensorId count = given(2, DType::i64, 0);
  if (call.known_number(count).value_or(1) < 1) return {call.constant(DType::i64, {0, 3}, Bytes())};
  const TensorId overlap = given(3, DType::f32, 0);
  const TensorId score = given(4, DType::f32, -std::numeric_limits<double>::infinity());
  return {call.emit(Op::non_max_suppression, {boxes, scores, count, overlap, score},
                    {{Attr::center_point_box, call.attributes.flag("center_point_box")}},
                    {.dtypes = {DType::i64}})};
}

}  // namespace

int8_t scatter_reduction(Call& call) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "add", "mul", "min", "max"};
  const std::string name = call.attributes.text("reduction", "none");
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) fail(unsupported("Reduction ", name, " is not supported."));
  return static_cast<int8_t>(found - kNames.begin());
}

std::vector<Row> element_index_rows() {
  return {
      {"CumProd", cum_product},
      {"CumSum", cum_sum},
      {"GatherElements", gather_elements, {}, 1},
      {"NonMaxSuppression", non_max_suppression},
      {"NonZero", non_zero},
      {"Scatter", scatter_elements},
      {"ScatterElements", scatter_elements},
      {"Trilu", trilu, {}, 1},
  };
}

}  // namespace nnrt::import::onnx
