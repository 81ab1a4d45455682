// The network of examples/digits as a TensorFlow Lite file.
#pragma once

#include <string>

namespace tool_tests {

// A float model with the example's trained weights; input: image [-1, 8, 8, 1].
std::string digits_tflite();

}  // namespace tool_tests
