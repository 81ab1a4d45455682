// Random nodes and tensors as text, for test messages.
#pragma once

#include "tests/support/random/random_node.h"

#include <string>

namespace nnrt::test {

// Everything but the data: "CONV2D, seed 7: FLOAT32 [1, 3, 5, 2] NHWC fed, ... -> FLOAT32 [1, 3, 5, 7]".
std::string describe(const RandomNode& node);
std::string describe(const Tensor& tensor);

}  // namespace nnrt::test
