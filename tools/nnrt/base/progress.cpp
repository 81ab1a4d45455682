#include "tools/nnrt/base/progress.h"

#include "core/base/printable.h"
#include "core/base/text.h"
#include "tools/nnrt/base/table.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace nnrt::tool {
namespace {

constexpr std::chrono::milliseconds kPatience{1000}, kBetweenDrawings{100};
constexpr size_t kBarWidth = 30, kNarrowBarWidth = 10;

// A line wider than the terminal would wrap, and the wrapped part would not be cleared.
size_t columns() {
  constexpr size_t kUnknown = 80;
  return terminal_width(STDERR_FILENO, kUnknown) - 1;
}

// Terminals without escape sequences cannot clear the line.
bool can_wipe_lines() {
  const char* const term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

std::string bar(size_t done, size_t steps, size_t width) {
  const size_t full = std::min(done * width / steps, width);
  return cat(" [", std::string(full, '#'), std::string(width - full, ' '), "] ");
}

// Shortens the title, not the progress.
std::string line_of(const std::string& title, const std::string& rest, size_t columns) {
  return shortened(shortened(title, columns - std::min(columns, width(rest))) + rest, columns);
}

}  // namespace

Progress::Progress(const std::string& title, size_t steps) : title_(printable(title)), steps_(steps) {
  if (!can_wipe_lines()) return;
  watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

// The watcher clears the line before it ends.
Progress::~Progress() = default;

void Progress::watch(const std::stop_token& stop) {
  const auto never = [] { return false; };
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, kPatience, never);
  if (stop.stop_requested()) return;
  while (!stop.stop_requested()) {
    draw();
    changed_.wait_for(lock, stop, kBetweenDrawings, never);
  }
  std::cerr << "\r\x1b[K" << std::flush;
}

void Progress::draw() const {
  const size_t done = done_, room = columns();
  const std::string time = cat(", ", fixed(stopwatch_.ms() / 1000, 1), " s");
  std::string rest = time;
  if (steps_ > 0) {
    const std::string count = cat(std::min(done, steps_), '/', steps_) + time;
    rest = bar(done, steps_, kBarWidth) + count;
    if (width(title_) + width(rest) > room) rest = bar(done, steps_, kNarrowBarWidth) + count;
  }
  std::cerr << '\r' << line_of(title_, rest, room) << "\x1b[K" << std::flush;
}

}  // namespace nnrt::tool
