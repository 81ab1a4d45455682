// Writes a network as a TensorFlow Lite model.
#pragma once

#include "tools/import/network/network.h"

namespace nnrt::import {

// Fails if an operation has no operator, listing all such operations.
Result<Bytes> write_tflite(const Network& network);

// The file with the description, metadata and signatures of another that has the same inputs and outputs.
// Both are valid.
std::string with_metadata(ByteView file, ByteView other);

}  // namespace nnrt::import
