// Writes a network as a TensorFlow Lite model.
#pragma once

#include "tools/import/network/network.h"

namespace nnrt::import {

// Fails if an operation has no operator, listing all such operations.
Result<Bytes> write_tflite(const Network& network);

}  // namespace nnrt::import
