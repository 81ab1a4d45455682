// Messages for people, to standard error. NNRT_LOG=error|warning|info|debug|off chooses how many (default
// warning).
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <functional>
#include <string_view>

namespace nnrt {

enum class LogLevel { off, error, warning, info, debug };

// The choice of NNRT_LOG behind the levels: warnings, but not the reasons why calls of the API failed.
inline constexpr size_t kNoCallErrors = 5;

bool log_enabled(LogLevel level);
void log(LogLevel level, std::string_view message);

// Writes the error's message, with `function` (the API's name) in front.
void log_error(std::string_view function, const Error& error);

// For tests: receives what would be written, at every level, until it is replaced by an empty function.
void set_log_sink(std::function<void(LogLevel, std::string_view)> sink);

}  // namespace nnrt
