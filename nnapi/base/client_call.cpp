#include "nnapi/base/client_call.h"

#include "core/platform/log.h"

namespace nnrt::nnapi {

int report(const char* function, const Failure& failure) noexcept {
  best_effort([&] { log(LogLevel::error, cat(function, ": ", failure.message)); });
  return failure.code;
}

int report_exception(const char* function) noexcept {
  Error error = current_error();
  return report(function, {code_of(error.code), std::move(error.message)});
}

Outcome require(std::initializer_list<Required> arguments) {
  for (const Required& argument : arguments) {
    if (argument.pointer != nullptr) continue;
    return Failure{ANEURALNETWORKS_UNEXPECTED_NULL, cat("Argument ", argument.name, " is null.")};
  }
  return {};
}

}  // namespace nnrt::nnapi
