#include "api/boundary.h"

#include "core/log.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace nnrt {
namespace {

// A message is a courtesy: it must not fail where memory is short.
void assign(std::string& message, const char* text) noexcept {
  try {
    message = text;
  } catch (...) {
    message.clear();
  }
}

}  // namespace

OH_NN_ReturnCode report(const char* function, const Error& error) noexcept {
  try {
    log_error(function, error);
  } catch (...) {
    // Without memory for the message the code has to do.
  }
  return static_cast<OH_NN_ReturnCode>(error.code);
}

OH_NN_ReturnCode report_exception(const char* function) noexcept {
  Error error;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    error.code = Code::memory;
    assign(error.message, "Memory is short.");
  } catch (const std::length_error&) {
    error.code = Code::memory;
    assign(error.message, "Memory is short.");
  } catch (const std::exception& exception) {
    assign(error.message, exception.what());
  } catch (...) {
    assign(error.message, "An unknown exception was thrown.");
  }
  return report(function, error);
}

void warn_null(const char* function) noexcept {
  try {
    log(LogLevel::warning, cat(function, ": An argument is null; there is nothing to destroy."));
  } catch (...) {
    // Without memory for the message there is none.
  }
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
