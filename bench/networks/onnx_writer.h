// Writes a network for other engines as an ONNX file (opset 20), in NCHW as exporters do. Fused activations
// become separate nodes; quantized operators are wrapped in DequantizeLinear and QuantizeLinear with UINT8
// activations, which other engines run fastest. Rank-4 inputs and outputs are transposed; all others have the
// same values (plus 128 if quantized).
#pragma once

#include "case.h"

#include <string>

namespace bench {

// Throws std::invalid_argument for an operator that no network uses.
std::string to_onnx(const conformance::Case& network);

struct OnnxFiles {
  std::string model, data;
};
// The same with large constants in a second file, `location`, beside the model.
OnnxFiles to_external_onnx(const conformance::Case& network, const std::string& location);

}  // namespace bench
