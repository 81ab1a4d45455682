// Operators that select individual elements by index, position or value.
#include "tools/import/onnx/onnx_formula.h"
#include "tools/import/onnx/operators/onnx_operands.h"

#include <algorithm>
#include <array>
#include <limits>

namespace nnrt::import::onnx {
namespace {

Result<Ids> gather_elements(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(const TensorId indices, call.plain_input(1));
  const int64_t axis = call.attributes.integer("axis", 0);
  return single(call.emit(OH_NN_OPS_GATHER_ELEMENTS, {x, indices},
                          {int64_parameter(extension(OH_NN_GATHER_ELEMENTS_AXIS), axis)}));
}

// Also Scatter, its original name.
Result<Ids> scatter_elements(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(const TensorId indices, call.plain_input(1));
  NNRT_ASSIGN(const TensorId updates, call.input(2));
  NNRT_ASSIGN(const int8_t reduction, scatter_reduction(call));
  const int64_t axis = call.attributes.integer("axis", 0);
  return single(call.emit(OH_NN_OPS_SCATTER_ELEMENTS, {x, indices, updates},
                          {int64_parameter(extension(OH_NN_SCATTER_ELEMENTS_AXIS), axis),
                           int8_parameter(extension(OH_NN_SCATTER_ELEMENTS_REDUCTION), reduction)}));
}

Result<TensorId> cum_sum_along(Call& call, TensorId x, int64_t axis) {
  const bool exclusive = call.attributes.integer("exclusive", 0) != 0;
  const bool reverse = call.attributes.integer("reverse", 0) != 0;
  return call.emit(OH_NN_OPS_CUM_SUM, {x},
                   {int64_parameter(extension(OH_NN_CUM_SUM_AXIS), axis),
                    bool_parameter(extension(OH_NN_CUM_SUM_EXCLUSIVE), exclusive),
                    bool_parameter(extension(OH_NN_CUM_SUM_REVERSE), reverse)});
}

// Dynamic axis: computes the sum along every axis and selects one.
Result<Ids> cum_sum_along_any(Call& call, TensorId x, TensorId given) {
  Formula f(call);
  const int64_t rank = f.rank(x);
  const TensorId axis = f.reshape(given, {});
  const TensorId is_negative = f.less(axis, 0.0),
                 from_front = f.where(is_negative, f.add(axis, double(rank)), axis);
  const TensorId fits = f.emit(OH_NN_OPS_LOGICAL_AND,
                               {f.less(f.number(axis, -1), from_front), f.less(from_front, double(rank))});
  TensorId chosen = f.given(cum_sum_along(call, x, 0));
  for (int64_t d = 1; d < rank; ++d)
    chosen = f.where(f.equal(from_front, double(d)), f.given(cum_sum_along(call, x, d)), chosen);
  return Ids{f.emit(OH_NN_OPS_ASSERT, {fits, chosen})};
}

Result<Ids> cum_sum(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(const TensorId given, call.plain_input(1));
  const auto axis = call.emitter().known_integers(given);
  if (!axis) return cum_sum_along_any(call, x, given);
  if (axis->size() != 1) return damaged("The axis is not a scalar.");
  return single(cum_sum_along(call, x, axis->front()));
}

// Doubles the number of factors in each step.
Result<Ids> cum_product(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0);
  NNRT_ASSIGN(const List<int64_t> given, call.integers(1));
  if (given.size() != 1) return damaged("The axis is not a scalar.");
  const int64_t axis = f.axis(given[0], x);
  const int64_t length = f.length(x, axis);
  const bool reverse = call.attributes.integer("reverse", 0) != 0;
  const auto moved = [&](TensorId y, int64_t by) {
    List<int64_t> pads(2 * static_cast<size_t>(f.rank(x)), 0);
    pads[static_cast<size_t>(2 * axis + (reverse ? 1 : 0))] = by;
    const TensorId rest = reverse ? f.slice(y, axis, by, length) : f.slice(y, axis, 0, length - by);
    return f.emit(OH_NN_OPS_PAD, {rest, f.reshape(f.integers(pads), {f.rank(x), 2})},
                  {float_parameter(OH_NN_PAD_CONSTANT_VALUE, 1)});
  };
  const bool is_half = f.dtype(x) == DType::f16;
  TensorId y = is_half ? f.cast(x, DType::f32) : x;
  if (call.attributes.integer("exclusive", 0) != 0 && length > 0) y = moved(y, 1);
  for (int64_t by = 1; by < length; by *= 2) y = f.mul(y, moved(y, by));
  return Ids{is_half ? f.cast(y, DType::f16) : y};
}

Result<Ids> trilu(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  Ids operands{x};
  std::vector<Parameter> parameters{
      bool_parameter(extension(OH_NN_TRILU_UPPER), call.attributes.integer("upper", 1) != 0)};
  if (call.has(1)) {
    NNRT_ASSIGN(const TensorId diagonal, call.plain_input(1));
    const auto known = call.emitter().known_integers(diagonal);
    if (known && known->size() != 1) return damaged("The diagonal is not a scalar.");
    if (known) parameters.push_back(int64_parameter(extension(OH_NN_TRILU_DIAGONAL), known->front()));
    if (!known) operands.push_back(diagonal);
  }
  return single(call.emit(OH_NN_OPS_TRILU, operands, std::move(parameters)));
}

Result<Ids> non_zero(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.plain_input(0));
  return single(call.emit(OH_NN_OPS_NON_ZERO, {x}, {}, {.dtypes = {DType::i64}}));
}

Result<Ids> non_max_suppression(Call& call) {
  NNRT_ASSIGN(const TensorId boxes, call.input(0));
  NNRT_ASSIGN(const TensorId scores, call.input(1));
  const auto given = [&](size_t i, DType dtype, double fallback) -> Result<TensorId> {
    return call.has(i) ? call.plain_input(i) : call.emitter().number(dtype, fallback);
  };
  NNRT_ASSIGN(const TensorId count, given(2, DType::i64, 0));
  if (call.known_number(count).value_or(1) < 1) return Ids{call.emitter().constant(DType::i64, {0, 3}, {})};
  NNRT_ASSIGN(const TensorId overlap, given(3, DType::f32, 0));
  NNRT_ASSIGN(const TensorId score, given(4, DType::f32, -std::numeric_limits<double>::infinity()));
  return single(call.emit(OH_NN_OPS_NON_MAX_SUPPRESSION, {boxes, scores, count, overlap, score},
                          {bool_parameter(extension(OH_NN_NON_MAX_SUPPRESSION_CENTER_POINT_BOX),
                                          call.attributes.integer("center_point_box", 0) != 0)},
                          {.dtypes = {DType::i64}}));
}

}  // namespace

Result<int8_t> scatter_reduction(Call& call) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "add", "mul", "min", "max"};
  const std::string name = call.attributes.text("reduction", "none");
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return unsupported("Reduction ", name, " is not supported.");
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
