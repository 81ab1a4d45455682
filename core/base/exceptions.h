// Converts exceptions to errors where they end: at the borders of the C API, of a thread, of a device.
#pragma once

#include "core/base/result.h"

#include <utility>

namespace nnrt {

// The exception that is being handled, as an error: memory where it says that there is no memory, thread or
// descriptor to be had, else failed. Needs no memory itself: without any the message is empty.
Error current_error() noexcept;

// Returns whether errno (or a value that a call returns instead) says that memory, a thread or a descriptor
// cannot be had now. The same call may work later.
bool is_shortage(int error_number) noexcept;

// The code for a call that failed with `error_number`: memory for a shortage, else `otherwise`.
inline Code code_for(int error_number, Code otherwise) noexcept {
  return is_shortage(error_number) ? Code::memory : otherwise;
}

// Calls `body`, which returns a Status or a Result. An exception becomes its error.
template <typename Body>
auto catching(const Body& body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return current_error();
  }
}

// Does what is a best effort, such as a message in the log: without memory there is none, and nothing else
// fails.
template <typename Body>
void best_effort(const Body& body) noexcept {
  try {
    body();
  } catch (...) {
    // It is left out.
  }
}

}  // namespace nnrt
