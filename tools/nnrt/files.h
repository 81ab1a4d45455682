// Reading and writing of whole files.
#pragma once

#include "tools/import/network.h"

#include <filesystem>
#include <string_view>

namespace nnrt::tool {

Result<import::Bytes> read_file(const std::filesystem::path& path);
Status write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace nnrt::tool
