#include "tools/nnrt/base/progress.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

namespace nnrt::tool {
namespace {

constexpr size_t kWidth = 30;

}  // namespace

Progress::Progress(std::string title, size_t steps)
    : title_(std::move(title)), steps_(std::max<size_t>(steps, 1)), visible_(isatty(STDERR_FILENO) == 1) {
  if (visible_) draw();
}

Progress::~Progress() {
  if (visible_) std::cerr << "\r\x1b[K" << std::flush;
}

void Progress::step() {
  ++done_;
  if (!visible_ || done_ * kWidth / steps_ == drawn_) return;
  drawn_ = done_ * kWidth / steps_;
  draw();
}

void Progress::draw() const {
  const size_t full = std::min(drawn_, kWidth);
  std::cerr << '\r' << title_ << " [" << std::string(full, '#') << std::string(kWidth - full, ' ') << "] "
            << std::min(done_, steps_) << '/' << steps_ << std::flush;
}

}  // namespace nnrt::tool
