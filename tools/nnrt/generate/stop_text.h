// Stop sequences of generated text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nnrt::tool {

class StopText {
 public:
  explicit StopText(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // Appends text and returns what may be printed: everything before the first stop sequence, without a tail
  // that may be the beginning of one.
  std::string add(std::string_view text);
  bool found() const { return found_; }
  // Returns the tail held back, for a text that ends without a stop sequence.
  std::string finish();

 private:
  size_t held_back() const;

  std::vector<std::string> stops_;  // none is empty
  std::string pending_;
  bool found_ = false;
};

}  // namespace nnrt::tool
