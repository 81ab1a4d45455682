// NumPy's archives of arrays: each is a .npy in a zip file, by its name.
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
// The array of that name; where the archive has one array alone, that.
Result<Array> read_from_npz(const std::filesystem::path& path, const std::string& name);
// The same from the file's bytes.
Result<Array> parse_npz(std::span<const std::byte> file, const std::string& name);

using NamedArray = std::pair<std::string, const Array*>;
// An array is named "output_" and its number instead if its name is empty, too long for a zip archive,
// another's too, or leads out of the folder.
Status write_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays);

}  // namespace nnrt::tool
