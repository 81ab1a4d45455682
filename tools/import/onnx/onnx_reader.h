// Reads ONNX models.
#pragma once

#include "core/memory/byte_source.h"
#include "tools/import/network/import_options.h"

#include <filesystem>
#include <span>

namespace nnrt::import {

// The bytes may be hostile. `folder` holds the model's external data; if empty, models with external data are
// rejected. Fails if the file is damaged or has an operator that OH_NN cannot express.
Result<Network> read_onnx(const ByteSource& file, const std::filesystem::path& folder,
                          const Options& options);
Result<Network> read_onnx(std::span<const std::byte> file, const std::filesystem::path& folder,
                          const Options& options);
// Leaves FLOAT32 weights of convolutions in the order of the file (stored_order() in
// core/memory/deferred_bytes.h): contents of the network must be read through ensure_read().
Result<Network> read_onnx_in_file_order(const ByteSource& file, const std::filesystem::path& folder,
                                        const Options& options);

// What the file declares; its weights are not read.
Result<Interface> read_onnx_interface(const ByteSource& file);

}  // namespace nnrt::import
