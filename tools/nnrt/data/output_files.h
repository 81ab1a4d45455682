// Outputs of a model as files.
#pragma once

#include "tools/nnrt/data/results.h"

#include <filesystem>

namespace nnrt::tool {

// Writes one .npy for each output into the directory, which is made where there is none; or all into one file
// where the path ends in .npz. Returns the files.
Result<std::vector<std::string>> write_outputs(const std::filesystem::path& path,
                                               std::span<const Output> outputs);

}  // namespace nnrt::tool
