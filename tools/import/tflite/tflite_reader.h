// Reads TensorFlow Lite models.
#pragma once

#include "tools/import/network/import_options.h"

#include <span>

namespace nnrt::import {

// The bytes may be hostile. Fails if the file is damaged or has an operator that OH_NN cannot express.
Result<Network> read_tflite(std::span<const std::byte> file, const Options& options);

}  // namespace nnrt::import
