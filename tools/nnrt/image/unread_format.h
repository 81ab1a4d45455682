// Formats of images that are not read, to say so by their names.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace nnrt::tool {

// "GIF", by the first bytes; empty: none that is known here.
std::string_view unread_format(std::span<const std::byte> file);

}  // namespace nnrt::tool
