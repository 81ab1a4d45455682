// Log messages on standard error. NNRT_LOG=error|warning|info|debug|off sets the level (default warning).
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <functional>
#include <string_view>

namespace nnrt {

enum class LogLevel { off, error, warning, info, debug };

// The value of NNRT_LOG after the levels: warnings, but no reasons for failed API calls.
inline constexpr size_t kNoCallErrors = 5;

bool log_enabled(LogLevel level);
void log(LogLevel level, std::string_view message);

// Logs the error's message, prefixed by `function` (the API's name).
void log_error(std::string_view function, const Error& error);

// For tests: receives messages of all levels until it is reset with an empty function.
void set_log_sink(std::function<void(LogLevel, std::string_view)> sink);

}  // namespace nnrt
