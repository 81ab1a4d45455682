// NumPy's array archives: zip files of .npy files.
#pragma once

#include "tools/nnrt/base/array.h"

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nnrt::tool {

// The names of the arrays, without ".npy".
Result<std::vector<std::string>> names_in_npz(const std::filesystem::path& path);
// The array of that name; an archive with a single array gives that one for any name.
Result<Array> read_from_npz(const std::filesystem::path& path, const std::string& name);
// Parses the bytes of the file.
Result<Array> parse_npz(std::span<const std::byte> file, const std::string& name);

using NamedArray = std::pair<std::string, const Array*>;
// Arrays whose name is empty, too long for a zip archive, a duplicate, or leads out of the folder are
// named "output_" and their number instead.
Status write_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays);

}  // namespace nnrt::tool
