// Reads ONNX models.
#pragma once

#include "tools/import/network/import_options.h"

#include <filesystem>
#include <span>

namespace nnrt::import {

// Bytes may be hostile. `folder` holds the files of data that the model keeps outside of itself; such a model
// is refused where it is empty. Fails where a file is damaged or the model has an operator that OH_NN cannot
// express.
Result<Network> read_onnx(std::span<const std::byte> file, const std::filesystem::path& folder,
                          const Options& options);

}  // namespace nnrt::import
