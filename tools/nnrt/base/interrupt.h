// Ctrl-C while something is measured: the first asks the command to stop and to say what it has, the second
// ends the process at once.
#pragma once

#include <csignal>

namespace nnrt::tool {

// The exit code of a command that was interrupted, by the convention of shells.
inline constexpr int kInterrupted = 130;

// As long as it lives; before and after it the first Ctrl-C ends the process. Where the process was started
// to ignore them, it does.
class CatchInterrupts {
 public:
  CatchInterrupts();
  ~CatchInterrupts();
  CatchInterrupts(const CatchInterrupts&) = delete;
  CatchInterrupts& operator=(const CatchInterrupts&) = delete;

 private:
  struct sigaction before_ {};
};

// Returns whether one was caught since the process began.
bool interrupted();

}  // namespace nnrt::tool
