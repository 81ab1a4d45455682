// The reason why the last call of an API failed, kept for each thread: clients may ask for it.
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
  kept_call_error().clear();  // without memory there is no message rather than an older one
  best_effort([&] { kept_call_error() = message; });
}

// Copies the message with a 0 behind it. `text` may be null for a capacity of 0, and `length` gets the bytes
// without the 0. False, and no text: an argument is wrong, or the text does not fit.
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
