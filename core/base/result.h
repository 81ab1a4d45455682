// Functions inside the runtime report failures as a Result, never as an exception.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace nnrt {

// Values as in OH_NN_ReturnCode, asserted in api/base/api_enums.cpp.
enum class Code : uint8_t {
  failed = 1,
  invalid_parameter = 2,
  memory = 3,
  forbidden = 4,
  invalid_file = 6,
  invalid_path = 8,
  timeout = 9,
  unsupported = 10,
  connection = 11,
  save_cache = 12,
  dynamic_shape = 13,
  unavailable_device = 14,
};

// The message consists of complete sentences in the present tense: "Axis (5) is outside [-4, 4). While adding
// OH_NN_OPS_SOFTMAX."
struct [[nodiscard]] Error {
  Code code = Code::failed;
  std::string message;

  // Adds context: during("adding OH_NN_OPS_SOFTMAX").
  Error during(std::string_view what) && {
    message.append(" While ").append(what).append(".");
    return std::move(*this);
  }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  // Asking an error for its value is a bug: it throws std::logic_error with the message.
  T& value() & {
    check();
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    check();
    return *std::get_if<0>(&state_);
  }
  T&& value() && { return std::move(value()); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  void check() const {
    if (!ok()) [[unlikely]]
      throw std::logic_error(error().message);
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  const Error& error() const& { return error_.value(); }
  Error&& error() && { return std::move(error_).value(); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace nnrt

#define NNRT_JOIN_(a, b) a##b
#define NNRT_JOIN(a, b) NNRT_JOIN_(a, b)

// Returns the error of `expression`, if any.
#define NNRT_TRY(expression)                                                                       \
  do {                                                                                             \
    if (auto nnrt_status = (expression); !nnrt_status.ok()) return std::move(nnrt_status).error(); \
  } while (false)

// NNRT_ASSIGN(auto x, f()) sets x to the value of f(), or returns its error.
#define NNRT_ASSIGN(declaration, expression)                                                                \
  auto NNRT_JOIN(nnrt_result_, __LINE__) = (expression);                                                    \
  if (!NNRT_JOIN(nnrt_result_, __LINE__).ok()) return std::move(NNRT_JOIN(nnrt_result_, __LINE__)).error(); \
  declaration = std::move(NNRT_JOIN(nnrt_result_, __LINE__)).value()
