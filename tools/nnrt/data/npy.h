// NumPy's file format for arrays: versions 1 to 3, little-endian, C order.
#pragma once

#include "tools/nnrt/base/array.h"

#include <filesystem>
#include <span>

namespace nnrt::tool {

Result<Array> read_npy(const std::filesystem::path& path);
// Parses the bytes of the file.
Result<Array> parse_npy(std::span<const std::byte> file);
// Reads only the header.
Result<Shape> read_npy_shape(const std::filesystem::path& path);
std::string npy_file(const Array& array);
Status write_npy(const std::filesystem::path& path, const Array& array);

}  // namespace nnrt::tool
