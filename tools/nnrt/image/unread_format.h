// Names image formats that are recognized but not supported.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace nnrt::tool {

// The format by the first bytes, such as "GIF"; empty if unknown.
std::string_view unread_format(std::span<const std::byte> file);

}  // namespace nnrt::tool
