// Text without regard to case.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace nnrt::tool {

// Of ASCII letters.
inline std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace nnrt::tool
