#include "tools/import/onnx/quantized/onnx_weight_only.h"

#include "core/base/bytes_of.h"
#include "tools/import/network/elements/nibbles.h"
#include "tools/import/onnx/onnx_blocks.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

constexpr int kMiddle = 128;  // from INT8 to UINT8

// Returns whether the value is such a matrix, with one scale per column or per block of a column.
bool is_stored(const Emitter& emitter, const Value* value, bool transposed) {
  if (value == nullptr || !value->dequantized) return false;
  const TensorId id = *value->quantized;
  if (!emitter.is_constant(id) || emitter.rank(id) != 2) return false;
  const uint32_t inner_axis = transposed ? 1 : 0;
  if (value->blocks) return value->axis == inner_axis;
  if (emitter.dtype(id) != DType::i8) return false;
  const size_t scales = emitter.tensor(id).quantization.scales.size();
  return scales == 1 || value->axis != inner_axis;
}

Bytes rows_of(ByteView stored, const StoredWeights& weights, bool transposed, std::byte flipped) {
  Bytes rows(stored.size());
  const auto columns = static_cast<size_t>(weights.columns), inner = static_cast<size_t>(weights.inner);
  for (size_t column = 0; column < columns; ++column) {
    for (size_t k = 0; k < inner; ++k) {
      const size_t from = transposed ? column * inner + k : k * columns + column;
      rows[column * inner + k] = stored[from] ^ flipped;
    }
  }
  return rows;
}

void take_scales(const Quantization& quant, StoredWeights& weights) {
  for (size_t column = 0; column < static_cast<size_t>(weights.columns); ++column) {
    const size_t own = quant.scales.size() == 1 ? 0 : column;
    weights.scales.push_back(static_cast<float>(quant.scales[own]));
    weights.zero_points.push_back(static_cast<std::byte>(quant.zero_points[own] + kMiddle));
  }
}

void take_scales(const Blocks& blocks, bool transposed, int offset, StoredWeights& weights) {
  for (int64_t column = 0; column < weights.columns; ++column) {
    for (int64_t k = 0; k < weights.inner; k += weights.block) {
      const size_t at = blocks.index(transposed ? column * weights.inner + k : k * weights.columns + column);
      weights.scales.push_back(blocks.scale(at));
      weights.zero_points.push_back(static_cast<std::byte>(blocks.zero_point(at) + offset));
    }
  }
}

// Packs weights that fit in four bits: INT4 and UINT4 arrive as INT8 and UINT8.
void pack_pairs(StoredWeights& weights, int lowest) {
  const auto fits = [=](std::byte value) {
    return static_cast<int>(value) >= lowest && static_cast<int>(value) < lowest + 16;
  };
  if (!std::ranges::all_of(weights.values, fits) || !std::ranges::all_of(weights.zero_points, fits)) return;
  const auto narrowed = [=](std::byte value) {
    return static_cast<std::byte>(static_cast<int>(value) - lowest);
  };
  const auto inner = static_cast<size_t>(weights.inner), row_bytes = (inner + 1) / 2;
  Bytes pairs(row_bytes * static_cast<size_t>(weights.columns));
  for (size_t i = 0; i < weights.values.size(); ++i) {
    const size_t column = i / inner, k = i % inner;
    add_nibble(pairs[column * row_bytes + k / 2], k, narrowed(weights.values[i]));
  }
  for (std::byte& zero : weights.zero_points) zero = narrowed(zero);
  weights.values = std::move(pairs);
  weights.bits = 4;
}

}  // namespace

std::optional<StoredWeights> stored_weights(Call& call, size_t input, bool transposed) {
  Emitter& emitter = call.emitter();
  if (!call.has(input) || !is_stored(emitter, call.inputs[input], transposed)) return {};
  const Value& value = call.value(input);
  const Tensor& tensor = call.tensor(*value.quantized);
  StoredWeights weights;
  weights.columns = tensor.shape[transposed ? 0 : 1];
  weights.inner = tensor.shape[transposed ? 1 : 0];
  if (weights.columns < 1 || weights.inner < 1) return {};
  required(emitter.budget().take(tensor.data->size()));
  const int offset = tensor.type == OH_NN_INT8 ? kMiddle : 0;
  weights.values = rows_of(*tensor.data, weights, transposed, static_cast<std::byte>(offset));
  if (value.blocks) {
    weights.block = value.blocks->size;
    take_scales(Blocks(emitter, value), transposed, offset, weights);
  } else {
    take_scales(tensor.quantization, weights);
  }
  constexpr int kLowestSigned = kMiddle - 8;
  pack_pairs(weights, value.code_type == DType::u8 ? 0 : kLowestSigned);
  return weights;
}

TensorId multiply_stored(Call& call, TensorId x, const StoredWeights& weights, std::optional<TensorId> bias) {
  const Dims by_block{weights.columns, static_cast<int64_t>(weights.scales.size()) / weights.columns};
  const Dims rows{weights.columns, static_cast<int64_t>(weights.values.size()) / weights.columns};
  const TensorId scales =
      call.cast(call.constant(DType::f32, by_block, bytes_of(weights.scales)), call.dtype(x));
  Ids operands{x, call.constant(DType::u8, rows, weights.values), scales,
               call.constant(DType::u8, by_block, weights.zero_points)};
  if (bias) operands.push_back(*bias);
  Settings settings{{Attr::bits, weights.bits}, {Attr::block, weights.block}, call.take_activation()};
  if (weights.approximate) settings.push_back({Attr::approximate, true});
  return call.emit(Op::matmul_nbits, operands, settings);
}

}  // namespace nnrt::import::onnx
