#include "api/base/boundary.h"

#include "core/base/call_error.h"
#include "core/platform/log.h"
#include "core/platform/settings.h"

namespace nnrt {
namespace {

// A client that reads the last error can turn off logging of call errors.
bool logs_errors() {
  static const bool logs = setting_choice(Setting::log) != kNoCallErrors;
  return logs;
}

}  // namespace

OH_NN_ReturnCode report(const char* function, const Error& error) noexcept {
  best_effort([&] {
    if (logs_errors()) log_error(function, error);
  });
  keep_call_error(error.message);
  return static_cast<OH_NN_ReturnCode>(error.code);
}

OH_NN_ReturnCode report_exception(const char* function) noexcept { return report(function, current_error()); }

void warn_null(const char* function) noexcept {
  best_effort(
      [&] { log(LogLevel::warning, cat(function, ": An argument is null; there is nothing to destroy.")); });
}

bool give_up_forked(const char* function) noexcept {
  if (!is_forked()) return false;
  best_effort([&] { static_cast<void>(report(function, forked_error())); });
  return true;
}

Status require(std::initializer_list<Argument> arguments) {
  for (const Argument& argument : arguments) {
    if (argument.pointer == nullptr) return invalid("Argument ", argument.name, " is null.");
  }
  return {};
}

Status require_index(std::string_view what, size_t index, size_t count) {
  if (index < count) return {};
  return invalid("Index of the ", what, " (", index, ") is outside [0, ", count, ").");
}

}  // namespace nnrt
