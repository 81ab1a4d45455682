// Reductions over axes, argmin and argmax.
#include "core/base/text.h"
#include "nnapi/lower/compose.h"

#include <android/NeuralNetworks.h>

#include <algorithm>

namespace nnrt::nnapi {
namespace {

// Normalized axes without duplicates.
std::vector<int64_t> axes_of(Lowering& op, size_t rank) {
  std::vector<int64_t> axes = op.integers(1);
  for (int64_t& axis : axes) {
    if (axis < -int64_t(rank) || axis >= int64_t(rank))
      op.fail(invalid("Axis (", axis, ") is outside [", -int64_t(rank), ", ", rank, ")."));
    if (axis < 0) axis += int64_t(rank);
  }
  std::ranges::sort(axes);
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

// keeps_quantized: the core's operator supports quantized values; otherwise they are dequantized.
template <Op core, bool keeps_quantized>
void lower_reduction(Lowering& op) {
  GraphWriter& graph = op.graph;
  const Value x = keeps_quantized ? op.in(0) : dequantized(graph, op.in(0));
  const ResultType type = op.result_type();
  const std::vector<int64_t> axes = axes_of(op, x.rank());
  const int64_t keep = op.integer(2) > 0;  // a BOOL, or the INT32 of MEAN
  if (axes.empty()) return op.set(0, graph.emit(Op::reshape, {op.in(0), graph.integers(x.shape)}, {}, type));
  const std::vector<Value> inputs{x, graph.integers(axes)};
  const Settings settings{{Attr::keep_dims, keep}};
  if (x.dtype == type.dtype) return op.set(0, graph.emit(core, inputs, settings, type));
  op.set(0, stored_as(graph, graph.emit(core, inputs, settings), type));
}

void lower_reduce_any(Lowering& op) {
  GraphWriter& graph = op.graph;
  const Value none = graph.emit(Op::logical_not, {op.in(0)});
  const std::vector<int64_t> axes = axes_of(op, none.rank());
  const Value all_false = axes.empty() ? none
                                       : graph.emit(Op::reduce_all, {none, graph.integers(axes)},
                                                    {{Attr::keep_dims, op.flag(2)}});
  op.set(0, graph.emit(Op::logical_not, {all_false}));
}

// Maps the value so that minimum and maximum are swapped, without integer overflow.
Value mirrored(GraphWriter& graph, const Value& value) {
  if (value.dtype == DType::i32) return graph.emit(Op::bitwise_not, {value});
  if (value.dtype != DType::i8) return graph.emit(Op::neg, {value});
  return graph.emit(Op::bitwise_not, {cast(graph, value, DType::i32)});
}

template <bool is_min>
void lower_arg(Lowering& op) {
  Value x = op.in(0);
  const size_t axis = op.axis(1, x.rank());
  if (is_min) x = mirrored(op.graph, x);
  op.set(0, op.graph.emit(Op::arg_max, {x}, {{Attr::axis, axis}}, {DType::i32}));
}

constexpr LoweringRow kReductionLowerings[] = {
    {ANEURALNETWORKS_MEAN, lower_reduction<Op::reduce_mean, true>},
    {ANEURALNETWORKS_REDUCE_MAX, lower_reduction<Op::reduce_max, false>},
    {ANEURALNETWORKS_REDUCE_MIN, lower_reduction<Op::reduce_min, false>},
    {ANEURALNETWORKS_REDUCE_PROD, lower_reduction<Op::reduce_prod, false>},
    {ANEURALNETWORKS_REDUCE_SUM, lower_reduction<Op::reduce_sum, false>},
    {ANEURALNETWORKS_REDUCE_ALL, lower_reduction<Op::reduce_all, false>},
    {ANEURALNETWORKS_REDUCE_ANY, lower_reduce_any},
    {ANEURALNETWORKS_ARGMAX, lower_arg<false>},
    {ANEURALNETWORKS_ARGMIN, lower_arg<true>},
};

}  // namespace

std::span<const LoweringRow> reduction_lowerings() { return kReductionLowerings; }

}  // namespace nnrt::nnapi
