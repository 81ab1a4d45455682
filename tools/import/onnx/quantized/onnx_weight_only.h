// Products in which only the weights are quantized, and stay quantized: MATMUL_NBITS.
#pragma once

#include "tools/import/onnx/onnx_call.h"

#include <vector>

namespace nnrt::import::onnx {

// Layout as in operators/gemm_conv.md MATMUL_NBITS.
struct StoredWeights {
  int64_t columns = 0, inner = 0, bits = 8, block = 0;  // block 0: one block with all elements
  Bytes values;                                         // rows; 4-bit values in pairs
  List<float> scales;
  Bytes zero_points;         // one per scale
  bool approximate = false;  // the other operand may be quantized too
};

// The product of x and the weights, in x's dtype, plus the optional bias.
TensorId multiply_stored(Call& call, TensorId x, const StoredWeights& weights,
                         std::optional<TensorId> bias = {});

// Input `input`, a matrix [inner, columns] or (if `transposed`) [columns, inner], if it is a constant behind
// a DequantizeLinear with one scale, or one per column.
std::optional<StoredWeights> stored_weights(Call& call, size_t input, bool transposed);

}  // namespace nnrt::import::onnx
