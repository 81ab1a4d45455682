// Reading and writing of whole files.
#pragma once

#include "tools/import/network/network.h"

#include <filesystem>
#include <limits>
#include <string_view>

namespace nnrt::tool {

// Fails where the file has more than `most` bytes: nothing is allocated then.
Result<import::Bytes> read_file(const std::filesystem::path& path,
                                size_t max = std::numeric_limits<size_t>::max());
Status write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace nnrt::tool
