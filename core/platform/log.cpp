#include "core/platform/log.h"

#include "core/base/printable.h"
#include "core/platform/file_limit.h"
#include "core/platform/fork.h"
#include "core/platform/settings.h"

#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <new>
#include <string>

// Takes lines instead of standard error where the build of a board defines it (docs/driver.md); elsewhere
// null.
extern "C" [[gnu::weak, gnu::visibility("hidden")]] void nnrt_log_line(int level, const char* line);

namespace nnrt {
namespace {

LogLevel chosen_level() {
  static const size_t chosen = setting_choice(Setting::log).value();
  return chosen == kNoCallErrors ? LogLevel::warning : LogLevel(chosen);
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
  std::string text;
  std::string_view line = "(Out of memory for this message.)";
  try {
    text = printable(message);
    line = text;
  } catch (const std::bad_alloc&) {  // out-of-memory must still be logged
  }
  Sink& target = sink();
  std::unique_lock lock(target.mutex, std::defer_lock);
  if (!is_forked()) lock.lock();  // in a child it may be locked forever
  if (target.function && lock) {
    target.function(level, line);
  } else if (nnrt_log_line != nullptr) {
    nnrt_log_line(static_cast<int>(level), line.data());
  } else {
    const FileLimit limit;
    std::fprintf(stderr, "NNRt %c: %.*s\n", letter(level), static_cast<int>(line.size()), line.data());
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
