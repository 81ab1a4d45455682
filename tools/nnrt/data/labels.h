// Names of classes: a line of a text file for each.
#pragma once

#include "core/base/result.h"
#include "tools/import/attached_files.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace nnrt::tool {

Result<std::vector<std::string>> read_labels(const std::filesystem::path& path);
// The same from the file's bytes. Lines end with LF or CR LF.
std::vector<std::string> parse_labels(std::span<const std::byte> file);

// Gives those among the files that are attached to a model: the lines of its only text file.
std::vector<std::string> attached_labels(std::vector<import::AttachedFile> files);

}  // namespace nnrt::tool
