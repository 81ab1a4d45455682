// Ctrl-C while something is measured: the first asks the command to stop and to say what it has, the second
// ends the process at once.
#pragma once

#include <sys/types.h>

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

// fork() of a process that measures. Interrupts reach the child through the parent alone, which passes on
// what CatchInterrupts catches there, whether it came from a terminal to both or from elsewhere to the
// parent. In the child CatchInterrupts is for these. The child ends with its parent.
pid_t fork_interruptible();
// The wait status of that child at its end, until which interrupts are passed on.
int wait_for_child(pid_t child);

}  // namespace nnrt::tool
