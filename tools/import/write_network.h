// Writes a network as a model file.
#pragma once

#include "tools/import/network/network.h"

#include <filesystem>

namespace nnrt::import {

// Whether write_network() knows the extension: .ms, .onnx or .tflite.
bool is_written(const std::filesystem::path& path);
// In the format of the path's extension. Fails if an operation has no equivalent, listing all such
// operations.
Result<Bytes> write_network(const Network& network, const std::filesystem::path& path);

}  // namespace nnrt::import
