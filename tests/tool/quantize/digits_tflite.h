// The network of the example with digits, as a TensorFlow Lite file.
#pragma once

#include <string>

namespace tool_tests {

// The bytes of a model of floats, from the example's trained weights. Its input is image [-1, 8, 8, 1].
std::string digits_tflite();

}  // namespace tool_tests
