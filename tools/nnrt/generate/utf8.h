// Pieces of UTF-8.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace nnrt::tool {

// The number of bytes of the character that begins with this byte; 1 for a byte that begins none.
inline size_t length_of_character(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf8 ? 4 : 1;
}

inline std::vector<std::string_view> code_points(std::string_view text) {
  std::vector<std::string_view> points;
  while (!text.empty()) {
    const size_t length = std::min(length_of_character(text.front()), text.size());
    points.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return points;
}

}  // namespace nnrt::tool
