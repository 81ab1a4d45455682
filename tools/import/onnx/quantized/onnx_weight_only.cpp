#include "tools/import/onnx/quantized/onnx_weight_only.h"

#include <cstring>

namespace nnrt::import::onnx {
namespace {

constexpr int kMiddle = 128;  // from INT8 to UINT8

// Returns whether the value is such a matrix.
bool is_stored(const Emitter& emitter, const Value* value, bool transposed) {
  if (value == nullptr || !value->dequantized) return false;
  const TensorId id = *value->quantized;
  if (!emitter.is_constant(id) || emitter.dtype(id) != DType::i8 || emitter.rank(id) != 2) return false;
  const size_t scales = emitter.tensor(id).quant.scales.size();
  return scales == 1 || value->axis == (transposed ? 0u : 1u);
}

Bytes rows_of(ByteView stored, const StoredWeights& weights, bool transposed) {
  Bytes rows(stored.size());
  const auto columns = static_cast<size_t>(weights.columns), inner = static_cast<size_t>(weights.inner);
  for (size_t column = 0; column < columns; ++column) {
    for (size_t k = 0; k < inner; ++k) {
      const size_t from = transposed ? column * inner + k : k * columns + column;
      rows[column * inner + k] = stored[from] ^ std::byte{kMiddle};
    }
  }
  return rows;
}

TensorId floats(Emitter& emitter, const nnrt::Shape& shape, const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return emitter.constant(DType::f32, shape, std::move(bytes));
}

}  // namespace

Result<std::optional<StoredWeights>> stored_weights(Call& call, size_t input, bool transposed) {
  Emitter& emitter = call.emitter();
  if (!call.has(input) || !is_stored(emitter, call.inputs[input], transposed))
    return std::optional<StoredWeights>();
  const nnrt::Tensor& tensor = emitter.tensor(*call.inputs[input]->quantized);
  StoredWeights weights;
  weights.columns = tensor.shape[transposed ? 0 : 1];
  weights.inner = tensor.shape[transposed ? 1 : 0];
  NNRT_TRY(emitter.budget().take(tensor.data->size()));
  weights.values = rows_of(*tensor.data, weights, transposed);
  const Quant& quant = tensor.quant;
  for (size_t column = 0; column < static_cast<size_t>(weights.columns); ++column) {
    const size_t own = quant.scales.size() == 1 ? 0 : column;
    weights.scales.push_back(static_cast<float>(quant.scales[own]));
    weights.zero_points.push_back(static_cast<std::byte>(quant.zero_points[own] + kMiddle));
  }
  return std::optional(std::move(weights));
}

Result<TensorId> multiply_stored(Call& call, TensorId x, const StoredWeights& weights,
                                 std::optional<TensorId> bias) {
  Emitter& emitter = call.emitter();
  const nnrt::Shape by_block{weights.columns, static_cast<int64_t>(weights.scales.size()) / weights.columns};
  const nnrt::Shape rows{weights.columns, static_cast<int64_t>(weights.values.size()) / weights.columns};
  NNRT_ASSIGN(const TensorId scales, call.cast(floats(emitter, by_block, weights.scales), emitter.dtype(x)));
  Ids operands{x, emitter.constant(DType::u8, rows, weights.values), scales,
               emitter.constant(DType::u8, by_block, weights.zero_points)};
  if (bias) operands.push_back(*bias);
  return call.emit(OH_NN_OPS_MATMUL_NBITS, operands,
                   {int64_parameter(extension(OH_NN_MATMUL_NBITS_BITS), weights.bits),
                    int64_parameter(extension(OH_NN_MATMUL_NBITS_BLOCK_SIZE), weights.block),
                    call.take_activation(extension(OH_NN_MATMUL_NBITS_ACTIVATION_TYPE))});
}

}  // namespace nnrt::import::onnx
