// Gemms of matrices.
#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {
namespace {

Result<TensorId> scaled(Call& call, TensorId x, float factor) {
  if (factor == 1) return x;
  return call.emit(OH_NN_OPS_MUL, {x, call.number_like(x, factor)});
}

// True for one number for each column of the result.
bool is_bias(Call& call, TensorId c, int64_t columns) {
  const std::optional<int64_t> count = element_count(call.shape(c));
  const nnrt::Shape& shape = call.shape(c);
  return count && (*count == 1 || (*count == columns && shape.back() == columns));
}

Result<TensorId> as_bias(Call& call, TensorId c, int64_t columns) {
  if (element_count(call.shape(c)) == columns) return call.reshape(c, {columns});
  NNRT_ASSIGN(const TensorId one, call.reshape(c, {1}));
  return call.emit(OH_NN_OPS_BROADCAST_TO, {one}, {int64s_parameter(OH_NN_BROADCAST_TO_SHAPE, {columns})});
}

Result<TensorId> full_connection(Call& call, TensorId a, TensorId weights, std::optional<TensorId> bias) {
  Ids inputs{a, weights};
  if (bias) inputs.push_back(*bias);
  return call.emit(OH_NN_OPS_FULL_CONNECTION, inputs,
                   {int64_parameter(OH_NN_FULL_CONNECTION_AXIS, call.rank(a) - 1),
                    call.take_activation(OH_NN_FULL_CONNECTION_ACTIVATIONTYPE)});
}

// alpha A' B' + beta C. With constant weights a full connection.
Result<Ids> gemm(Call& call) {
  NNRT_ASSIGN(TensorId a, call.input(0));
  NNRT_ASSIGN(TensorId b, call.input(1));
  if (call.rank(a) != 2 || call.rank(b) != 2)
    return damaged("A matrix has rank (", call.rank(a), "), (", call.rank(b), ") instead of 2.");
  const float alpha = call.attributes.real("alpha", 1), beta = call.attributes.real("beta", 1);
  const bool transposed = call.attributes.integer("transB", 0) != 0;
  if (call.attributes.integer("transA", 0) != 0) {
    NNRT_ASSIGN(a, call.transpose(a, {1, 0}));
  }
  if (call.is_quantized_call() && (alpha != 1 || beta != 1))
    return unsupported("Factors of a quantized GEMM are not supported.");
  NNRT_ASSIGN(b, scaled(call, b, alpha));
  NNRT_ASSIGN(const TensorId weights, transposed ? Result<TensorId>(b) : call.transpose(b, {1, 0}));
  const int64_t columns = call.shape(weights)[0];
  if (call.is_quantized_call()) {
    NNRT_ASSIGN(const TensorId bias, bias_of(call, 2, a, weights, columns));
    NNRT_ASSIGN(const TensorId vector, as_bias(call, bias, columns));
    return single(full_connection(call, a, weights, vector));
  }
  if (!call.has(2) || beta == 0) return single(full_connection(call, a, weights, {}));
  NNRT_ASSIGN(const TensorId given, call.input(2));
  NNRT_ASSIGN(const TensorId c, scaled(call, given, beta));
  if (columns != kUnknown && is_bias(call, c, columns)) {
    NNRT_ASSIGN(const TensorId bias, as_bias(call, c, columns));
    return single(full_connection(call, a, weights, bias));
  }
  NNRT_ASSIGN(const TensorId product, call.emit(OH_NN_OPS_FULL_CONNECTION, {a, weights},
                                                {int64_parameter(OH_NN_FULL_CONNECTION_AXIS, 1)}));
  return single(call.emit(OH_NN_OPS_ADD, {product, c}, {call.take_activation(OH_NN_ADD_ACTIVATIONTYPE)}));
}

// Quantized values with a scale for each column are the weights of a full connection.
Result<Ids> matmul(Call& call) {
  NNRT_ASSIGN(const TensorId a, call.input(0));
  NNRT_ASSIGN(const TensorId b, call.input(1));
  if (!call.is_quantized_call() || call.rank(b) != 2 || !call.emitter().is_constant(b))
    return single(call.emit(OH_NN_OPS_MATMUL, {a, b}, {call.take_activation(OH_NN_MATMUL_ACTIVATION_TYPE)}));
  NNRT_ASSIGN(const TensorId weights, call.transpose(b, {1, 0}));
  return single(full_connection(call, a, weights, {}));
}

}  // namespace

std::vector<Row> matmul_rows() {
  return {
      {"Gemm", gemm, {}, 2, true},
      {"MatMul", matmul, {}, 2, true},
  };
}

}  // namespace nnrt::import::onnx
