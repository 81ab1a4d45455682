// Writes a network as a TensorFlow Lite file.
#pragma once

#include "case.h"

#include <string>

namespace bench {

// Throws std::invalid_argument for an operator other than FULL_CONNECTION.
std::string to_tflite(const conformance::Case& network);

}  // namespace bench
