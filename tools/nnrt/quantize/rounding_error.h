// The difference two devices may show in the outputs of a quantized network.
#pragma once

#include "tools/import/network/network.h"

#include <vector>

namespace nnrt::tool {

// Devices may round a quantized result to a neighbouring code (R12).
struct RoundingError {
  bool is_quantized = false;  // whether the value depends on quantized results
  double step = 0;            // scale of the codes the value was dequantized from; 0: unknown

  // Tolerated difference in codes.
  double codes() const { return is_quantized ? 2 : 0; }
};

// One per output of the network, in order.
std::vector<RoundingError> rounding_errors(const import::Network& network);

}  // namespace nnrt::tool
