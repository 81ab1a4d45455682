// Reads TensorFlow Lite models.
#pragma once

#include "core/memory/lending_buffer.h"
#include "tools/import/network/import_options.h"

#include <span>

namespace nnrt::import {

// The bytes may be hostile. Fails if the file is damaged or has an operator that OH_NN cannot express.
// Constants are parts of the buffer, where their alignment allows it.
Result<Network> read_tflite(const LendingBuffer& file, const Options& options);
// Copies the file.
Result<Network> read_tflite(std::span<const std::byte> file, const Options& options);

}  // namespace nnrt::import
