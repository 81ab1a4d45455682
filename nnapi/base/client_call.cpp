#include "nnapi/base/client_call.h"

#include "core/base/call_error.h"
#include "core/platform/log.h"
#include "core/platform/settings.h"

namespace nnrt::nnapi {

int report(const char* function, const Failure& failure) noexcept {
  static const bool clients_tell = setting_choice(nnrt::Setting::log) == kNoCallErrors;
  best_effort([&] {
    if (!clients_tell) log(LogLevel::error, cat(function, ": ", failure.message));
  });
  keep_call_error(failure.message);
  return failure.code;
}

int report_exception(const char* function) noexcept {
  Error error = current_error();
  return report(function, {code_of(error.code), std::move(error.message)});
}

Outcome require(std::initializer_list<NamedPointer> arguments) {
  for (const NamedPointer& argument : arguments) {
    if (argument.pointer != nullptr) continue;
    return Failure{ANEURALNETWORKS_UNEXPECTED_NULL, cat("Argument ", argument.name, " is null.")};
  }
  return {};
}

}  // namespace nnrt::nnapi
