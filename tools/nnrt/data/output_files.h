// Writes outputs to files.
#pragma once

#include "tools/nnrt/data/results.h"

#include <filesystem>

namespace nnrt::tool {

// The file of an output in a folder.
std::string output_file_name(size_t index, const std::string& tensor);

// Fails if write_outputs() cannot write there, so that a command fails before it does any work.
Status check_output_path(const std::filesystem::path& path);

// Writes one .npy per output into the directory, creating it if needed, or all into one file if the path
// ends in .npz. Returns the files.
Result<std::vector<std::string>> write_outputs(const std::filesystem::path& path,
                                               std::span<const Output> outputs);

}  // namespace nnrt::tool
