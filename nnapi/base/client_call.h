// The border of the C API: a function returns a result code and throws no exception. Each failure is logged
// once, with the function's name in front, and kept as the last error of its thread. In a child by fork()
// nothing behind it is touched (core/platform/fork.h).
#pragma once

#include "core/base/exceptions.h"
#include "core/platform/fork.h"
#include "core/platform/trace.h"
#include "nnapi/base/outcome.h"

#include <concepts>
#include <initializer_list>
#include <memory>
#include <string_view>

namespace nnrt::nnapi {

// Logs the failure, keeps it and gives its code.
int report(const char* function, const Failure& failure) noexcept;
// The same for the exception that is being handled.
int report_exception(const char* function) noexcept;

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

struct Required {
  std::string_view name;
  const void* pointer;
};

// unexpected null for the first that is null.
Outcome require(std::initializer_list<Required> arguments);

// bad data where an index is not below `count`.
template <std::integral Index>
Outcome require_index(std::string_view what, Index index, size_t count) {
  if (index >= Index{0} && static_cast<size_t>(index) < count) return {};
  return bad_data("Index of the ", what, " (", index, ") is outside [0, ", count, ").");
}

// Frees what the client owns. A forked child gives it up as it is.
template <typename T>
void free_handle(T* handle) noexcept {
  if (handle != nullptr && !is_forked()) std::unique_ptr<T>(handle).reset();
}

}  // namespace nnrt::nnapi
