// Converts exceptions to errors at boundaries: the C API, threads, devices.
#pragma once

#include "core/base/result.h"

#include <utility>

namespace nnrt {

// The current exception as an error: memory if memory, threads or descriptors are exhausted, otherwise
// failed. Does not allocate; the message is empty if memory is exhausted.
Error current_error() noexcept;

// Returns whether errno (or an equivalent return value) means that memory, threads or descriptors are
// temporarily exhausted.
bool is_shortage(int error_number) noexcept;

// memory if `error_number` is a shortage, otherwise `otherwise`.
inline Code code_for(int error_number, Code otherwise) noexcept {
  return is_shortage(error_number) ? Code::memory : otherwise;
}

// Calls `body`, which returns a Status or a Result, and converts exceptions to errors.
template <typename Body>
auto catching(const Body& body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return current_error();
  }
}

// Runs something optional, such as logging; exceptions are ignored.
template <typename Body>
void best_effort(const Body& body) noexcept {
  try {
    body();
  } catch (...) {
    // Optional.
  }
}

}  // namespace nnrt
