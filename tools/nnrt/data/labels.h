// Names of classes: a line of a text file for each.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace nnrt::tool {

Result<std::vector<std::string>> read_labels(const std::filesystem::path& path);
// The same from the file's bytes. Lines end with LF or CR LF.
std::vector<std::string> parse_labels(std::span<const std::byte> file);

// Gives those that are attached to a model: the lines of its only text file.
std::vector<std::string> attached_labels(const std::filesystem::path& model);

}  // namespace nnrt::tool
