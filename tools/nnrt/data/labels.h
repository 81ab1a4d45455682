// Class names: a text file with one per line.
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
// Parses the bytes of the file. Lines end with LF or CR LF.
std::vector<std::string> parse_labels(std::span<const std::byte> file);

// Labels attached to a model: the lines of its only text file.
std::vector<std::string> attached_labels(std::vector<import::AttachedFile> files);

}  // namespace nnrt::tool
