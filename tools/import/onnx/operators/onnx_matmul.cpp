// Matrix products.
#include "tools/import/onnx/onnx_formula.h"
#include "tools/import/onnx/operators/onnx_operands.h"
#include "tools/import/onnx/quantized/onnx_weight_only.h"

#include <cmath>
#include <utility>

namespace nnrt::import::onnx {
namespace {

Result<TensorId> scaled(Call& call, TensorId x, float factor) {
  if (factor == 1) return x;
  return call.emit(OH_NN_OPS_MUL, {x, call.number_like(x, factor)});
}

// True for one value per output column.
bool is_bias(Call& call, TensorId c, int64_t columns) {
  const std::optional<int64_t> count = nnrt::element_count(call.shape(c));
  const Dims& shape = call.shape(c);
  return count && (*count == 1 || (*count == columns && shape.back() == columns));
}

Result<TensorId> as_bias(Call& call, TensorId c, int64_t columns) {
  if (nnrt::element_count(call.shape(c)) == columns) return call.reshape(c, {columns});
  NNRT_ASSIGN(const TensorId one, call.reshape(c, {1}));
  return call.emit(OH_NN_OPS_BROADCAST_TO, {one}, {int64s_parameter(OH_NN_BROADCAST_TO_SHAPE, {columns})});
}

// A right operand: a matrix [columns, inner], or [inner, columns] if not transposed, or quantized weights.
struct Weights {
  TensorId matrix = 0;
  std::optional<StoredWeights> stored{};
  int64_t columns = kUnknown;
  bool transposed = true;
};

// Keeps the order of the file, so that weights need no transposed copy.
Result<TensorId> multiply_in_order(Call& call, TensorId a, TensorId matrix, std::optional<TensorId> bias) {
  if (!bias)
    return call.emit(OH_NN_OPS_MATMUL, {a, matrix}, {call.take_activation(OH_NN_MATMUL_ACTIVATION_TYPE)});
  NNRT_ASSIGN(const TensorId product, call.emit(OH_NN_OPS_MATMUL, {a, matrix}));
  return call.emit(OH_NN_OPS_ADD, {product, *bias}, {call.take_activation(OH_NN_ADD_ACTIVATIONTYPE)});
}

Result<TensorId> full_connection(Call& call, TensorId a, const Weights& weights,
                                 std::optional<TensorId> bias) {
  if (weights.stored) return multiply_stored(call, a, *weights.stored, bias);
  if (!weights.transposed) return multiply_in_order(call, a, weights.matrix, bias);
  Ids inputs{a, weights.matrix};
  if (bias) inputs.push_back(*bias);
  return call.emit(OH_NN_OPS_FULL_CONNECTION, inputs,
                   {int64_parameter(OH_NN_FULL_CONNECTION_AXIS, call.rank(a) - 1),
                    call.take_activation(OH_NN_FULL_CONNECTION_ACTIVATIONTYPE)});
}

// Quantized weights with a float left operand.
Result<std::optional<Weights>> stored_alone(Call& call, TensorId a, bool transposed) {
  if (call.is_quantized_call() || call.rank(a) < 1 || !kFloat.contains(call.emitter().dtype(a)))
    return std::optional<Weights>();
  NNRT_ASSIGN(std::optional<StoredWeights> stored, stored_weights(call, 1, transposed));
  if (!stored) return std::optional<Weights>();
  const int64_t columns = stored->columns;
  return std::optional(Weights{0, std::move(stored), columns});
}

// B' of a Gemm, times alpha.
Result<Weights> gemm_weights(Call& call, TensorId a) {
  const float alpha = call.attributes.real("alpha", 1);
  const bool transposed = call.attributes.integer("transB", 0) != 0;
  if (alpha == 1) {
    NNRT_ASSIGN(std::optional<Weights> stored, stored_alone(call, a, transposed));
    if (stored) return *std::move(stored);
  }
  NNRT_ASSIGN(TensorId b, call.input(1));
  if (call.rank(b) != 2) return damaged("A matrix has rank (", call.rank(b), ") instead of 2.");
  NNRT_ASSIGN(b, scaled(call, b, alpha));
  if (!transposed && !call.is_quantized_call() && kFloat.contains(call.emitter().dtype(b)))
    return Weights{b, {}, call.shape(b)[1], false};
  NNRT_ASSIGN(const TensorId matrix, transposed ? Result<TensorId>(b) : call.transpose(b, {1, 0}));
  return Weights{matrix, {}, call.shape(matrix)[0]};
}

// MATMUL lacks these dtypes.
bool is_summed(DType dtype) { return kIndex.contains(dtype) || dtype == DType::f64 || dtype == DType::u64; }

// alpha A' B' + beta C of integers or FLOAT64.
Result<Ids> summed_gemm(Call& call, TensorId a) {
  Formula f(call);
  const DType dtype = call.emitter().dtype(a);
  const auto matrix = [&](TensorId id, std::string_view is_transposed) {
    return call.attributes.integer(is_transposed, 0) != 0 ? f.transpose(id, {1, 0}) : id;
  };
  const auto scaled_by = [&](TensorId x, std::string_view factor) {
    const auto value = static_cast<double>(call.attributes.real(factor, 1));
    if (dtype != DType::f64 && value != std::trunc(value))
      f.fail(unsupported("A factor (", value, ") that is not an integer is not supported for integers."));
    return f.mul(x, value);
  };
  const TensorId b = f.input(1);
  if (f.rank(b) != 2) return damaged("A matrix has rank (", f.rank(b), ") instead of 2.");
  TensorId y = scaled_by(f.matmul(matrix(a, "transA"), matrix(b, "transB")), "alpha");
  if (call.has(2)) y = f.add(y, scaled_by(f.input(2), "beta"));
  return Ids{y};
}

// alpha A' B' + beta C; a full connection if the weights are constant.
Result<Ids> gemm(Call& call) {
  NNRT_ASSIGN(TensorId a, call.input(0));
  if (call.rank(a) != 2) return damaged("A matrix has rank (", call.rank(a), ") instead of 2.");
  if (is_summed(call.emitter().dtype(a))) return summed_gemm(call, a);
  const float alpha = call.attributes.real("alpha", 1), beta = call.attributes.real("beta", 1);
  if (call.attributes.integer("transA", 0) != 0) {
    NNRT_ASSIGN(a, call.transpose(a, {1, 0}));
  }
  if (call.is_quantized_call() && (alpha != 1 || beta != 1))
    return unsupported("Factors of a quantized GEMM are not supported.");
  NNRT_ASSIGN(const Weights weights, gemm_weights(call, a));
  if (call.is_quantized_call()) {
    NNRT_ASSIGN(const TensorId bias, bias_of(call, 2, a, weights.matrix, weights.columns));
    NNRT_ASSIGN(const TensorId vector, as_bias(call, bias, weights.columns));
    return single(full_connection(call, a, weights, vector));
  }
  if (!call.has(2) || beta == 0) return single(full_connection(call, a, weights, {}));
  NNRT_ASSIGN(const TensorId given, call.input(2));
  NNRT_ASSIGN(const TensorId c, scaled(call, given, beta));
  if (weights.columns != kUnknown && is_bias(call, c, weights.columns)) {
    NNRT_ASSIGN(const TensorId bias, as_bias(call, c, weights.columns));
    return single(full_connection(call, a, weights, bias));
  }
  const int8_t activation = std::exchange(call.activation, int8_t{0});  // applies after the sum
  NNRT_ASSIGN(const TensorId product, full_connection(call, a, weights, {}));
  call.activation = activation;
  return single(call.emit(OH_NN_OPS_ADD, {product, c}, {call.take_activation(OH_NN_ADD_ACTIVATIONTYPE)}));
}

// Per-column quantized weights become a full connection.
Result<Ids> matmul(Call& call) {
  NNRT_ASSIGN(const TensorId a, call.input(0));
  NNRT_ASSIGN(const std::optional<Weights> stored, stored_alone(call, a, false));
  if (stored) return single(full_connection(call, a, *stored, {}));
  NNRT_ASSIGN(const TensorId b, call.input(1));
  if (is_summed(call.emitter().dtype(a))) {
    Formula f(call);
    return Ids{f.matmul(a, b)};
  }
  if (!call.is_quantized_call() || call.rank(b) != 2 || !call.emitter().is_constant(b))
    return single(call.emit(OH_NN_OPS_MATMUL, {a, b}, {call.take_activation(OH_NN_MATMUL_ACTIVATION_TYPE)}));
  NNRT_ASSIGN(const TensorId weights, call.transpose(b, {1, 0}));
  return single(full_connection(call, a, {weights, {}, kUnknown}, {}));
}

}  // namespace

std::vector<Row> matmul_rows() {
  return {
      {"Gemm", gemm, {}, 2, true},
      {"MatMul", matmul, {}, 2, true},
  };
}

}  // namespace nnrt::import::onnx
