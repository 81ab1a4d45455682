// Writes outputs to files.
#pragma once

#include "tools/nnrt/data/results.h"

#include <filesystem>

namespace nnrt::tool {

// Writes one .npy per output into the directory, creating it if needed, or all into one file if the path
// ends in .npz. Returns the files.
Result<std::vector<std::string>> write_outputs(const std::filesystem::path& path,
                                               std::span<const Output> outputs);

}  // namespace nnrt::tool
