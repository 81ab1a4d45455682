// Finds files of external data, without leaving the model's folder.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <span>
#include <string>

namespace nnrt::import {

// The file of this name, relative to the model's folder, with its links resolved. It must be in that folder
// or in one of the linked ones. If the model's folder is empty, it has no external data.
Result<std::filesystem::path> external_file(const std::string& name, const std::filesystem::path& folder,
                                            std::span<const std::filesystem::path> linked);

}  // namespace nnrt::import
