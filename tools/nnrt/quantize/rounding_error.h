// How far apart two devices may be in the outputs of a quantized network.
#pragma once

#include "tools/import/network/network.h"

#include <vector>

namespace nnrt::tool {

// A device may round each quantized result to the neighbouring code (R12), and later layers amplify that.
struct RoundingError {
  size_t layers = 0;  // quantized results on the longest path to the value; 0: it depends on none
  double step = 0;    // of the codes that the value was dequantized from; 0: unknown

  // Codes that two devices may be apart.
  double codes() const { return 2 + static_cast<double>(layers / 16); }
};

// For each output of the network, in order.
std::vector<RoundingError> rounding_errors(const import::Network& network);

}  // namespace nnrt::tool
