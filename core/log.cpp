#include "core/log.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

namespace nnrt {
namespace {

LogLevel level_from_environment() {
  const char* text = std::getenv("NNRT_LOG");
  const std::string_view word = text == nullptr ? "" : text;
  if (word == "off") return LogLevel::off;
  if (word == "error") return LogLevel::error;
  if (word == "info") return LogLevel::info;
  if (word == "debug") return LogLevel::debug;
  return LogLevel::warning;
}

LogLevel chosen_level() {
  static const LogLevel level = level_from_environment();
  return level;
}

struct Sink {
  std::mutex mutex;
  std::atomic<bool> replaced{false};
  std::function<void(LogLevel, std::string_view)> function;
};

// Never destroyed: threads may log while the process exits.
Sink& sink() {
  static auto& instance = *std::make_unique<Sink>().release();
  return instance;
}

char letter(LogLevel level) {
  constexpr char kLetters[] = {' ', 'E', 'W', 'I', 'D'};
  return kLetters[static_cast<size_t>(level)];
}

}  // namespace

bool log_enabled(LogLevel level) { return sink().replaced || level <= chosen_level(); }

void log(LogLevel level, std::string_view message) {
  if (!log_enabled(level)) return;
  Sink& target = sink();
  const std::lock_guard lock(target.mutex);
  if (target.function) {
    target.function(level, message);
  } else {
    std::fprintf(stderr, "NNRt %c: %.*s\n", letter(level), static_cast<int>(message.size()), message.data());
  }
}

void log_error(std::string_view function, const Error& error) {
  log(LogLevel::error, std::string(function) + ": " + error.message);
}

void set_log_sink(std::function<void(LogLevel, std::string_view)> function) {
  Sink& target = sink();
  const std::lock_guard lock(target.mutex);
  target.replaced = static_cast<bool>(function);
  target.function = std::move(function);
}

}  // namespace nnrt
