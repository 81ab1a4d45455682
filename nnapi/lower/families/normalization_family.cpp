// Softmax and normalizations.
#include "core/base/text.h"
#include "nnapi/lower/compose.h"

#include <android/NeuralNetworks.h>

namespace nnrt::nnapi {
namespace {

// x * beta; no node for beta 1.
Value sharpened(Lowering& op, const Value& value, double beta) {
  if (!(beta > 0)) op.fail(invalid("Beta (", beta, ") is not above 0."));
  return beta == 1 ? value : mul(op.graph, dequantized(op.graph, value), beta);
}

void lower_softmax(Lowering& op) {
  GraphWriter& graph = op.graph;
  const ResultType type = op.result_type();
  require_fixed_quant(op, 1.0 / 256, -128);
  const Value data = op.in(0);
  const Settings settings{{Attr::axis, op.axis(2, data.rank(), -1)}};
  const Value x = sharpened(op, data, op.real(1));
  if (x.dtype == type.dtype) return op.set(0, graph.emit(Op::softmax, {x}, settings, type));
  op.set(0, stored_as(graph, graph.emit(Op::softmax, {x}, settings), type));
}

void lower_log_softmax(Lowering& op) {
  const Value x = sharpened(op, op.in(0), op.real(1));
  op.set(0, op.graph.emit(Op::log_softmax, {x}, {{Attr::axis, op.axis(2, x.rank())}}));
}

// The root is at least 1e-6, so epsilon, for the sum of squares, is its square.
void lower_l2_normalization(Lowering& op) {
  GraphWriter& graph = op.graph;
  require_fixed_quant(op, 1.0 / 128, 0);
  const Value x = dequantized(graph, op.in(0));
  const Settings settings{{Attr::axes, op.axis(1, x.rank(), -1)}, {Attr::epsilon, 1e-12}};
  op.set(0, stored_as(graph, graph.emit(Op::l2_normalize, {x}, settings), op.result_type()));
}

// The core's operator only supports the last axis of rank 4.
void lower_lrn(Lowering& op) {
  GraphWriter& graph = op.graph;
  const Value x = op.in(0);
  const size_t axis = op.axis(5, x.rank(), -1);
  const int64_t outer = product(x.shape, 0, axis), inner = product(x.shape, axis + 1, x.rank());
  const bool is_last = inner == 1;
  Value data =
      reshape(graph, x, is_last ? Shape{outer, 1, 1, x.dim(axis)} : Shape{outer, x.dim(axis), inner, 1});
  if (!is_last) data = transpose(graph, data, {0, 2, 3, 1});
  data = graph.emit(Op::lrn, {data},
                    {{Attr::radius, op.integer(1)},
                     {Attr::bias, op.real(2)},
                     {Attr::alpha, op.real(3)},
                     {Attr::beta, op.real(4)}});
  if (!is_last) data = transpose(graph, data, {0, 3, 1, 2});
  op.set(0, reshape(graph, data, x.shape));
}

Value repeated(GraphWriter& graph, DType dtype, double value, int64_t count) {
  return graph.emit(Op::fill, {graph.number(dtype, value), graph.integers({count})}, {}, {dtype});
}

void lower_instance_normalization(Lowering& op) {
  GraphWriter& graph = op.graph;
  const bool is_nchw = op.flag(4);
  const Value data = to_nhwc(graph, op.in(0), is_nchw);
  const Value gamma = repeated(graph, data.dtype, op.real(1), data.dim(3));
  const Value beta = repeated(graph, data.dtype, op.real(2), data.dim(3));
  const Value result = graph.emit(Op::instance_norm, {data, gamma, beta}, {{Attr::epsilon, op.real(3)}});
  op.set(0, from_nhwc(graph, result, is_nchw));
}

constexpr LoweringRow kNormalizationLowerings[] = {
    {ANEURALNETWORKS_SOFTMAX, lower_softmax},
    {ANEURALNETWORKS_LOG_SOFTMAX, lower_log_softmax},
    {ANEURALNETWORKS_L2_NORMALIZATION, lower_l2_normalization},
    {ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION, lower_lrn},
    {ANEURALNETWORKS_INSTANCE_NORMALIZATION, lower_instance_normalization},
};

}  // namespace

std::span<const LoweringRow> normalization_lowerings() { return kNormalizationLowerings; }

}  // namespace nnrt::nnapi
