// Matrix products.
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/operators/onnx_operands.h"
#include "tools/import/onnx/quantized/onnx_weight_only.h"

#include <cmath>
#include <utility>

namespace nnrt::import::onnx {
namespace {

// True for one value per output column.
bool is_bias(Call& call, TensorId c, int64_t columns) {
  const std::optional<int64_t> count = nnrt::element_count(call.shape(c));
  const Dims& shape = call.shape(c);
  return count && (*count == 1 || (*count == columns && shape.back() == columns));
}

TensorId as_bias(Call& call, TensorId c, int64_t columns) {
  if (nnrt::element_count(call.shape(c)) == columns) return call.reshape(c, {columns});
  return call.broadcast(call.reshape(c, {1}), {columns});
}

// A right operand: a matrix [columns, inner], or [inner, columns] if not transposed, or quantized weights.
struct Weights {
  TensorId matrix = 0;
  std::optional<StoredWeights> stored{};
  int64_t columns = kUnknown;
  bool transposed = true;
};

// Keeps the order of the file, so that weights need no transposed copy.
TensorId multiply_in_order(Call& call, TensorId a, TensorId matrix, std::optional<TensorId> bias) {
  if (!bias) return call.emit(Op::matmul, {a, matrix}, {call.take_activation()});
  const TensorId product = call.emit(Op::matmul, {a, matrix});
  return call.emit(Op::add, {product, *bias}, {call.take_activation()});
}

TensorId full_connection(Call& call, TensorId a, const Weights& weights, std::optional<TensorId> bias) {
  if (weights.stored) return multiply_stored(call, a, *weights.stored, bias);
  if (!weights.transposed) return multiply_in_order(call, a, weights.matrix, bias);
  Ids inputs{a, weights.matrix};
  if (bias) inputs.push_back(*bias);
  return call.emit(Op::full_connection, inputs, {{Attr::axis, call.rank(a) - 1}, call.take_activation()});
}

// Quantized weights with a float left operand.
std::optional<Weights> stored_alone(Call& call, TensorId a, bool transposed) {
  if (call.is_quantized_call() || call.rank(a) < 1 || !kFloat.contains(call.dtype(a))) return {};
  std::optional<StoredWeights> stored = stored_weights(call, 1, transposed);
  if (!stored) return {};
  const int64_t columns = stored->columns;
  return Weights{0, std::move(stored), columns};
}

// B' of a Gemm, times alpha.
Weights gemm_weights(Call& call, TensorId a) {
  const float alpha = call.attributes.real("alpha", 1);
  const bool transposed = call.attributes.flag("transB");
  if (alpha == 1)
    if (std::optional<Weights> stored = stored_alone(call, a, transposed)) return *std::move(stored);
  TensorId b = call.input(1);
  if (call.rank(b) != 2) fail(damaged("A matrix has rank (", call.rank(b), ") instead of 2."));
  b = call.mul(b, alpha);
  if (!transposed && !call.is_quantized_call() && kFloat.contains(call.dtype(b)))
    return Weights{b, {}, call.shape(b)[1], false};
  const TensorId matrix = transposed ? b : call.transpose(b, {1, 0});
  return Weights{matrix, {}, call.shape(matrix)[0]};
}

// MATMUL lacks these dtypes.
bool is_summed(DType dtype) { return kIndex.contains(dtype) || dtype == DType::f64 || dtype == DType::u64; }

// alpha A' B' + beta C of integers or FLOAT64.
Ids summed_gemm(Call& call, TensorId a) {
  const DType dtype = call.dtype(a);
  const auto matrix = [&](TensorId id, std::string_view is_transposed) {
    return call.attributes.flag(is_transposed) ? call.transpose(id, {1, 0}) : id;
  };
  const auto scaled_by = [&](TensorId x, std::string_view factor) {
    const auto value = static_cast<double>(call.attributes.real(factor, 1));
    if (dtype != DType::f64 && value != std::trunc(value))
      fail(unsupported("A factor (", value, ") that is not an integer is not supported for integers."));
    return call.mul(x, value);
  };
  const TensorId b = call.input(1);
  if (call.rank(b) != 2) fail(damaged("A matrix has rank (", call.rank(b), ") instead of 2."));
  TensorId y = scaled_by(call.matmul(matrix(a, "transA"), matrix(b, "transB")), "alpha");
  if (call.has(2)) y = call.add(y, scaled_by(call.input(2), "beta"));
  return {y};
}

// alpha A' B' + beta C; a full connection if the weights are constant.
Ids gemm(Call& call) {
  TensorId a = call.input(0);
  if (call.rank(a) != 2) fail(damaged("A matrix has rank (", call.rank(a), ") instead of 2."));
  if (is_summed(call.dtype(a))) return summed_gemm(call, a);
  const float alpha = call.attributes.real("alpha", 1), beta = call.attributes.real("beta", 1);
  if (call.attributes.flag("transA")) a = call.transpose(a, {1, 0});
  if (call.is_quantized_call() && (alpha != 1 || beta != 1))
    fail(unsupported("Factors of a quantized GEMM are not supported."));
  const Weights weights = gemm_weights(call, a);
  if (call.is_quantized_call()) {
    const TensorId bias = bias_of(call, 2, a, weights.matrix, weights.columns);
    return {full_connection(call, a, weights, as_bias(call, bias, weights.columns))};
  }
  if (!call.has(2) || beta == 0) return {full_connection(call, a, weights, {})};
  const TensorId c = call.mul(call.input(2), beta);
  if (weights.columns != kUnknown && is_bias(call, c, weights.columns))
    return {full_connection(call, a, weights, as_bias(call, c, weights.columns))};
  const int8_t activation = std::exchange(call.activation, int8_t{0});  // applies after the sum
  const TensorId product = full_connection(call, a, weights, {});
  call.activation = activation;
  return {call.emit(Op::add, {product, c}, {call.take_activation()})};
}

// Per-column quantized weights become a full connection.
Ids matmul(Call& call) {
  const TensorId a = call.input(0);
  if (const auto stored = stored_alone(call, a, false)) return {full_connection(call, a, *stored, {})};
  const TensorId b = call.input(1);
  if (is_summed(call.dtype(a))) return {call.matmul(a, b)};
  if (!call.is_quantized_call() || call.rank(b) != 2 || !call.is_constant(b))
    return {call.emit(Op::matmul, {a, b}, {call.take_activation()})};
  return {full_connection(call, a, {call.transpose(b, {1, 0}), {}, kUnknown}, {})};
}

}  // namespace

std::vector<Row> matmul_rows() {
  return {
      {"Gemm", gemm, {}, 2, true},
      {"MatMul", matmul, {}, 2, true},
  };
}

}  // namespace nnrt::import::onnx
