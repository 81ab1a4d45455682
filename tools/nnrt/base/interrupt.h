// Ctrl-C during measurements: the first one makes the command stop and report what it has, the second ends
// the process.
#pragma once

#include <sys/types.h>

#include <csignal>

namespace nnrt::tool {

// Exit code of an interrupted command, as shells report SIGINT.
inline constexpr int kInterrupted = 130;

// Catches the first Ctrl-C during its lifetime; otherwise Ctrl-C ends the process. If the process was
// started with SIGINT ignored, it stays ignored.
class CatchInterrupts {
 public:
  CatchInterrupts();
  ~CatchInterrupts();
  CatchInterrupts(const CatchInterrupts&) = delete;
  CatchInterrupts& operator=(const CatchInterrupts&) = delete;

 private:
  struct sigaction before_ {};
};

// Whether an interrupt was caught since the process started, or since the last one was forgotten.
bool interrupted();
void forget_interrupt();

// Forks a measuring process. Interrupts reach the child only through the parent, which forwards what its
// CatchInterrupts catches, whether it came from the terminal or was sent to the parent alone;
// CatchInterrupts in the child catches the forwarded ones. The child ends with its parent.
pid_t fork_interruptible();
// Waits for that child, forwarding interrupts, and returns its wait status.
int wait_for_child(pid_t child);

}  // namespace nnrt::tool
