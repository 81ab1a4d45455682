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

// Warns, with the name of the output, if there are not as many labels as classes.
void check_labels(const std::string& file, std::span<const std::string> labels, const std::string& output,
                  size_t classes);

// Labels attached to a model: the lines of its only text file.
std::vector<std::string> attached_labels(std::vector<import::AttachedFile> files);

}  // namespace nnrt::tool
