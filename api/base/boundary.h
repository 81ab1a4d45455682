// The C boundary: functions return a code or a pointer and never throw. Each failure is logged once, prefixed
// by the function's name. In a forked child no function touches runtime state (core/platform/fork.h).
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

// Logs the error, stores it for OH_NNRt_GetLastError and returns its code.
OH_NN_ReturnCode report(const char* function, const Error& error) noexcept;

// As report, for the current exception.
OH_NN_ReturnCode report_exception(const char* function) noexcept;

struct Argument {
  std::string_view name;
  const void* pointer;
};

// invalid_parameter for the first null argument.
Status require(std::initializer_list<Argument> arguments);

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

// Runs a body that returns a Status or nothing, unless one of the arguments is null.
template <typename Body>
OH_NN_ReturnCode guard(const char* function, std::initializer_list<Argument> arguments,
                       const Body& body) noexcept {
  return guard(function, [&]() -> Status {
    NNRT_TRY(require(arguments));
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return {};
    } else {
      return body();
    }
  });
}

// Runs a body that returns a Result of a pointer; returns null on error.
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

// Runs a body that returns a Result of a unique_ptr, and passes ownership to the client.
template <typename Body>
auto guard_new(const char* function, const Body& body) noexcept {
  using Handle = decltype(body().value().get());
  return guard_pointer(function, [&]() -> Result<Handle> {
    NNRT_ASSIGN(auto owned, body());
    return owned.release();
  });
}

// invalid_parameter if `out` is null or does not point to null.
template <typename T>
Status require_empty(std::string_view name, T* const* out) {
  NNRT_TRY(require({{name, out}}));
  if (*out != nullptr) return invalid("Argument *", name, " is not null on entry.");
  return {};
}

// invalid_parameter unless index < count.
Status require_index(std::string_view what, size_t index, size_t count);

template <typename... Parts>
Error forbidden(const Parts&... parts) {
  return {Code::forbidden, cat(parts...)};
}

// Destroys a client's object and sets its pointer to null.
template <typename T>
Status destroy(std::string_view name, T** handle) {
  NNRT_TRY(require({{name, handle}}));
  NNRT_TRY(require({{name, *handle}}));
  std::unique_ptr<T>(std::exchange(*handle, nullptr));
  return {};
}

// The same for functions without a return code; null is ignored with a warning.
void warn_null(const char* function) noexcept;

// Returns true in a forked child, where handles are leaked instead of destroyed.
bool give_up_forked(const char* function) noexcept;

template <typename T>
void destroy_or_warn(const char* function, T** handle) noexcept {
  if (handle == nullptr || *handle == nullptr) return warn_null(function);
  T* const given = std::exchange(*handle, nullptr);
  if (!give_up_forked(function)) std::unique_ptr<T>(given).reset();
}

}  // namespace nnrt
