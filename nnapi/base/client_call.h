// The boundary of the C API: functions return a result code and never throw. Each failure is logged once,
// prefixed by the function's name, and kept as the thread's last error. In a forked child no function touches
// runtime state (core/platform/fork.h).
#pragma once

#include "core/base/exceptions.h"
#include "core/platform/fork.h"
#include "core/platform/trace.h"
#include "nnapi/base/outcome.h"

#include <concepts>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <type_traits>

namespace nnrt::nnapi {

// Logs the failure, stores it and returns its code.
int report(const char* function, const Failure& failure) noexcept;
// The same for the current exception.
int report_exception(const char* function) noexcept;

struct NamedPointer {
  std::string_view name;
  const void* pointer;
};

// unexpected null for the first null argument.
Outcome require(std::initializer_list<NamedPointer> arguments);

// Runs a body that returns an Outcome.
template <typename Body>
int guard(const char* function, const Body& body) noexcept {
  try {
    if (is_forked()) return report(function, Outcome(forked_error()).error());
    const trace::Span span("api", function);
    const Outcome outcome = body();
    return outcome.ok() ? ANEURALNETWORKS_NO_ERROR : report(function, outcome.error());
  } catch (...) {
    return report_exception(function);
  }
}

// Runs a body that returns an Outcome or nothing, unless one of the pointers is null.
template <typename Body>
int guard(const char* function, std::initializer_list<NamedPointer> pointers, const Body& body) noexcept {
  return guard(function, [&]() -> Outcome {
    NNRT_TRY(require(pointers));
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return {};
    } else {
      return body();
    }
  });
}

// bad data unless index < count.
template <std::integral Index>
Outcome require_index(std::string_view what, Index index, size_t count) {
  if (index >= Index{0} && static_cast<size_t>(index) < count) return {};
  return bad_data("Index of the ", what, " (", index, ") is outside [0, ", count, ").");
}

// Frees a client's object; leaks it in a forked child.
template <typename T>
void free_handle(T* handle) noexcept {
  if (handle != nullptr && !is_forked()) std::unique_ptr<T>(handle).reset();
}

}  // namespace nnrt::nnapi
