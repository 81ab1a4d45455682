// Writes a network as an ONNX model.
#pragma once

#include "tools/import/network/network.h"

namespace nnrt::import {

// Quantized tensors are written in QDQ form. Fails if an operation has no operator, listing all such
// operations.
Result<Bytes> write_onnx(const Network& network);

// The file with the producer, the documentation and the metadata of another.
std::string with_onnx_metadata(ByteView file, ByteView other);

}  // namespace nnrt::import
