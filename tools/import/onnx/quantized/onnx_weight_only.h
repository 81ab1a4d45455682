// Products of which only the weights are quantized, and stay so: MATMUL_NBITS.
#pragma once

#include "tools/import/onnx/onnx_call.h"

#include <vector>

namespace nnrt::import::onnx {

// As operators/gemm_conv.md MATMUL_NBITS has them.
struct StoredWeights {
  int64_t columns = 0, inner = 0, bits = 8, block = 0;  // one block with all elements has the length 0
  Bytes values;                                         // rows, of 4 bits in pairs
  std::vector<float> scales;
  Bytes zero_points;  // one for each scale
};

// The product of x with the weights, of x's type, and with that bias where one is given.
Result<TensorId> multiply_stored(Call& call, TensorId x, const StoredWeights& weights,
                                 std::optional<TensorId> bias = {});

// Input `input`, a matrix [inner, columns] or, `transposed`, [columns, inner], if it is a constant of which
// DequantizeLinear makes floats by one scale, or one for each column.
Result<std::optional<StoredWeights>> stored_weights(Call& call, size_t input, bool transposed);

}  // namespace nnrt::import::onnx
