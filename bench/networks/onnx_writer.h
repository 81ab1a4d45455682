// The same network for other engines: as an ONNX file (opset 20), NCHW as exporters write it. Activations
// fused in OH_NN are nodes of their own there; quantized operators stand between DequantizeLinear and
// QuantizeLinear, with activations as UINT8, which is what other engines run fastest. Inputs and outputs of
// rank 4 are transposed, all others are the same numbers (quantized ones: plus 128).
#pragma once

#include "case.h"

#include <string>

namespace bench {

// Throws std::invalid_argument for an operator that no description uses.
std::string to_onnx(const conformance::Case& network);

}  // namespace bench
