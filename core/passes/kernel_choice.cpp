#include "core/passes/kernel_choice.h"

namespace nnrt {

std::string WhyNot::text() const {
  std::string text;
  auto number = numbers_.begin();
  for (std::string_view rest = sentence_ == nullptr ? "" : sentence_; !rest.empty();) {
    const size_t end = number == numbers_.end() ? std::string_view::npos : rest.find("{}");
    text += rest.substr(0, end);
    if (end == std::string_view::npos) break;
    text += std::to_string(*number++);
    rest.remove_prefix(end + 2);
  }
  return text;
}

}  // namespace nnrt
