// The C boundary: the library returns a code or a pointer and throws no exception. Each failure is logged
// once, with the function's name in front. In a child by fork() nothing behind it is touched
// (core/platform/fork.h).
#pragma once

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/platform/fork.h"
#include "core/platform/trace.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace nnrt {

// Logs the error, keeps it for OH_NNRt_GetLastError and gives its code.
OH_NN_ReturnCode report(const char* function, const Error& error) noexcept;

// The same as report for the exception that is being handled.
OH_NN_ReturnCode report_exception(const char* function) noexcept;

// Runs a body that returns a Status.
template <typename Body>
OH_NN_ReturnCode guard(const char* function, const Body& body) noexcept {
  try {
    if (is_forked()) return report(function, forked_error());
    const trace::Span span("api", function);
    const Status status = body();
    return status.ok() ? OH_NN_SUCCESS : report(function, status.error());
  } catch (...) {
    return report_exception(function);
  }
}

// Runs a body that returns a Result of a pointer; null stands for its errors.
template <typename Body>
auto guard_pointer(const char* function, const Body& body) noexcept
    -> std::decay_t<decltype(body().value())> {
  try {
    if (is_forked()) return static_cast<void>(report(function, forked_error())), nullptr;
    const trace::Span span("api", function);
    auto result = body();
    if (result.ok()) return result.value();
    static_cast<void>(report(function, result.error()));
  } catch (...) {
    static_cast<void>(report_exception(function));
  }
  return nullptr;
}

// Runs a body that returns a Result of a unique_ptr, which the client is given.
template <typename Body>
auto guard_new(const char* function, const Body& body) noexcept {
  using Handle = decltype(body().value().get());
  return guard_pointer(function, [&]() -> Result<Handle> {
    NNRT_ASSIGN(auto owned, body());
    return owned.release();
  });
}

struct Argument {
  std::string_view name;
  const void* pointer;
};

// invalid_parameter for the first that is null.
Status require(std::initializer_list<Argument> arguments);

// invalid_parameter where `out` is null, or holds a pointer already ("null on entry").
template <typename T>
Status require_empty(std::string_view name, T* const* out) {
  NNRT_TRY(require({{name, out}}));
  if (*out != nullptr) return invalid("Argument *", name, " is not null on entry.");
  return {};
}

// invalid_parameter where an index is not below `count`.
Status require_index(std::string_view what, size_t index, size_t count);

template <typename... Parts>
Error forbidden(const Parts&... parts) {
  return {Code::forbidden, cat(parts...)};
}

// Destroys what the client owns and sets its pointer to null.
template <typename T>
Status destroy(std::string_view name, T** handle) {
  NNRT_TRY(require({{name, handle}}));
  NNRT_TRY(require({{name, *handle}}));
  std::unique_ptr<T>(std::exchange(*handle, nullptr));
  return {};
}

// The same for functions without a code, which ignore null with a warning.
void warn_null(const char* function) noexcept;

// Returns whether this is a forked child, which gives up what a handle stands for as it is.
bool give_up_forked(const char* function) noexcept;

template <typename T>
void destroy_or_warn(const char* function, T** handle) noexcept {
  if (handle == nullptr || *handle == nullptr) return warn_null(function);
  T* const given = std::exchange(*handle, nullptr);
  if (!give_up_forked(function)) std::unique_ptr<T>(given).reset();
}

}  // namespace nnrt
