#include "tools/nnrt/generate/stop_text.h"

#include <algorithm>
#include <utility>

namespace nnrt::tool {

std::string StopText::add(std::string_view text) {
  if (found_) return "";
  pending_ += text;
  size_t end = std::string::npos;
  for (const std::string& stop : stops_) end = std::min(end, pending_.find(stop));
  found_ = end != std::string::npos;
  if (!found_) end = pending_.size() - held_back();
  std::string printed = pending_.substr(0, end);
  pending_.erase(0, found_ ? std::string::npos : end);
  return printed;
}

std::string StopText::finish() { return std::exchange(pending_, {}); }

// Length of the longest tail that begins a stop sequence.
size_t StopText::held_back() const {
  size_t longest = 0;
  for (const std::string& stop : stops_) {
    for (size_t length = std::min(stop.size() - 1, pending_.size()); length > longest; --length) {
      if (pending_.ends_with(std::string_view(stop).substr(0, length))) longest = length;
    }
  }
  return longest;
}

}  // namespace nnrt::tool
