#include "core/base/text.h"

#include <algorithm>

namespace nnrt {

std::vector<std::string> list_entries(std::string_view text, char separator) {
  std::vector<std::string> entries;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) entries.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return entries;
}

}  // namespace nnrt
