// The difference two devices may show in the outputs of a quantized network.
#pragma once

#include "tools/import/network/network.h"

#include <vector>

namespace nnrt::tool {

// Devices may round each quantized result to a neighbouring code (R12), and later layers amplify that.
struct RoundingError {
  size_t layers = 0;  // quantized results on the longest path to the value
  double step = 0;    // scale of the codes the value was dequantized from; 0: unknown

  // Tolerated difference in codes.
  double codes() const { return 2 + static_cast<double>(layers / 16); }
};

// One per output of the network, in order.
std::vector<RoundingError> rounding_errors(const import::Network& network);

}  // namespace nnrt::tool
