// Reductions, positions of extremes, and sorted elements.
#include "core/base/text.h"
#include "mindspore/lower/node_lowering.h"

#include <algorithm>
#include <numeric>

namespace nnrt::mindspore {
namespace {

// Absent axes are all of them; computed ones are read in the run.
Value axes_of(Lowering& op, const Value& x) {
  const std::optional<Integers> given = op.integers(1);
  if (op.has(1) && !given && op.source(1).dims != Shape{0}) return op.in(1);
  Integers axes = given.value_or(Integers());
  if (axes.empty()) {
    axes.resize(std::max<size_t>(x.rank(), 1));
    std::iota(axes.begin(), axes.end(), 0);
  }
  return op.graph.integers(axes);
}

std::optional<Op> reduction(ReduceMode mode) {
  switch (mode) {
    case ReduceMode::mean: return Op::reduce_mean;
    case ReduceMode::max: return Op::reduce_max;
    case ReduceMode::min: return Op::reduce_min;
    case ReduceMode::prod: return Op::reduce_prod;
    case ReduceMode::sum:
    case ReduceMode::sum_of_squares:
    case ReduceMode::sum_of_absolutes: return Op::reduce_sum;
    case ReduceMode::all: return Op::reduce_all;
    case ReduceMode::l2: return Op::reduce_l2;
  }
  return {};
}

// To the end, dimensions disappear and the coefficient counts; without, both flags and coefficient are as in
// OH_NN. A declared result of the data's rank tells that they stay: graphs made through OH_NN can say so.
void lower_reduce(Lowering& op) {
  const auto mode = ReduceMode(op.primitive.integer("mode"));
  const std::optional<Op> core = reduction(mode);
  if (!core) op.refuse("Reduce mode (", int(mode), ") is unknown.");
  Value x = op.in(0);
  if (mode == ReduceMode::all) x = cast(op.graph, x, DType::boolean);
  const Value axes = axes_of(op, x);
  if (mode == ReduceMode::sum_of_squares) x = op.emit(Op::square, {dequantized(op.graph, x)});
  if (mode == ReduceMode::sum_of_absolutes) x = op.emit(Op::abs, {dequantized(op.graph, x)});
  const bool to_end = op.primitive.flag("reduce_to_end");
  const bool keeps =
      op.primitive.flag("keep_dims") && (!to_end || op.result_source().dims.size() == x.rank());
  Settings settings{{Attr::keep_dims, keeps}, {Attr::reduce_to_end, to_end}};
  if (to_end) settings.push_back({Attr::coeff, op.primitive.real("coeff")});
  op.emit_results(*core, {x, axes}, settings);
}

void lower_all(Lowering& op) {
  const Value x = op.in(0);
  op.emit_result({x, axes_of(op, x)}, op.settings());
}

// One output is the position, or the value; of two the first is the position.
void lower_arg_max(Lowering& op) {
  const bool is_min = op.primitive.type() == PrimitiveType::arg_min_fusion;
  Value x = op.in(0);
  if (is_min) x = op.emit(Op::neg, {dequantized(op.graph, x)});
  Settings settings{{Attr::axis, op.primitive.integer("axis")},
                    {Attr::top_k, std::max<int64_t>(op.primitive.integer("top_k"), 1)},
                    {Attr::keep_dims, op.primitive.integer("keep_dims")}};
  const auto positions = [&](size_t output) {
    const DType declared = op.declared(output).dtype;
    const DType dtype = declared == DType::i64 ? DType::i64 : DType::i32;
    return op.graph.emit(Op::arg_max, {x}, settings, {dtype});
  };
  const auto values = [&] {
    settings.push_back({Attr::out_max_value, 1});
    const Value best = op.graph.emit(Op::arg_max, {x}, settings, type_of(x));
    return is_min ? op.emit(Op::neg, {best}) : best;
  };
  if (op.output_count() == 1) return op.set(0, op.primitive.flag("out_max_value") ? values() : positions(0));
  op.set(0, positions(0));
  op.set(1, values());
}

// An absent axis is the last one; builders omit 0. `largest` is not evaluated: files of TensorFlow lack it
// and mean the largest.
void lower_top_k(Lowering& op) {
  const bool has_axis = op.primitive.has("axis") || op.is_from_builders();
  const Settings settings{{Attr::sorted, op.primitive.integer("sorted")},
                          {Attr::axis, has_axis ? op.primitive.integer("axis") : int64_t{-1}}};
  const Value x = op.in(0);
  const std::optional<Integers> count = op.integers(1);
  const Value k = count ? op.graph.integers(*count) : op.in(1);
  const DType indices = op.output_count() > 1 && op.declared(1).dtype == DType::i64 ? DType::i64 : DType::i32;
  List<Value> results = op.graph.emit_all(Op::top_k, {x, k}, settings, {type_of(x), {indices}});
  op.set(0, std::move(results[0]));
  if (op.output_count() > 1) op.set(1, std::move(results[1]));
}

void lower_cum_sum(Lowering& op) {
  const Integers axis = op.constant_integers(1, "axis");
  if (axis.size() != 1) op.fail(invalid("The axis has ", axis.size(), " elements."));
  op.emit_result({op.in(0)}, {{Attr::axis, axis[0]},
                              {Attr::exclusive, op.primitive.integer("exclusive")},
                              {Attr::reverse, op.primitive.integer("reverse")}});
}

}  // namespace

std::span<const LoweringRow> reduction_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::all, 1, 2, lower_all, Op::all},
      {PrimitiveType::arg_max_fusion, 1, 1, lower_arg_max, Op::arg_max},
      {PrimitiveType::arg_min_fusion, 1, 1, lower_arg_max},
      {PrimitiveType::cum_sum, 2, 2, lower_cum_sum, Op::cum_sum},
      {PrimitiveType::reduce_fusion, 1, 2, lower_reduce},
      {PrimitiveType::top_k_fusion, 2, 2, lower_top_k, Op::top_k},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
