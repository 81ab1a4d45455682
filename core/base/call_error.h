// The message of the last failed API call, per thread.
#pragma once

#include "core/base/exceptions.h"

#include <cstring>
#include <string>
#include <string_view>

namespace nnrt {

inline std::string& kept_call_error() noexcept {
  thread_local std::string message;
  return message;
}

inline void keep_call_error(std::string_view message) noexcept {
  kept_call_error().clear();  // rather no message than an outdated one
  best_effort([&] { kept_call_error() = message; });
}

// Copies the null-terminated message. `text` may be null if capacity is 0; `length` receives the length
// without the terminator. Returns false and writes no text if an argument is invalid or the text does not
// fit.
inline bool copy_call_error(char* text, size_t capacity, size_t* length) noexcept {
  if (length == nullptr || (text == nullptr && capacity > 0)) return false;
  const std::string& last = kept_call_error();
  *length = last.size();
  if (capacity == 0) return true;
  if (capacity <= last.size()) return false;
  std::memcpy(text, last.c_str(), last.size() + 1);
  return true;
}

}  // namespace nnrt
