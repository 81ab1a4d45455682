#include "tools/nnrt/base/interrupt.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace nnrt::tool {
namespace {

// The signal by which the parent forwards interrupts. The child ignores SIGINT: the terminal sends it to
// both processes, so the child would count one Ctrl-C twice.
constexpr int kPassedOn = SIGUSR1;

volatile std::sig_atomic_t caught = 0;
volatile std::sig_atomic_t child_to_tell = 0;  // 0: none
int interrupt_signal = SIGINT;

void on_interrupt(int) {
  caught = 1;
  if (child_to_tell > 0) kill(child_to_tell, kPassedOn);
}

// Blocks SIGINT during its lifetime.
class BlockInterrupts {
 public:
  BlockInterrupts() {
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupts, &before_);
  }
  ~BlockInterrupts() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockInterrupts(const BlockInterrupts&) = delete;
  BlockInterrupts& operator=(const BlockInterrupts&) = delete;

 private:
  sigset_t before_{};
};

void become_child(pid_t parent) {
  interrupt_signal = kPassedOn;
  std::signal(SIGINT, SIG_IGN);
  std::signal(kPassedOn, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent ended before prctl
}

}  // namespace

pid_t fork_interruptible() {
  const BlockInterrupts blocked;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    become_child(parent);
  } else if (child > 0) {
    child_to_tell = child;
  }
  return child;
}

int wait_for_child(pid_t child) {
  siginfo_t ended;
  // WNOWAIT: the pid must not be reused before child_to_tell is cleared.
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  child_to_tell = 0;
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

CatchInterrupts::CatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  // The handler catches one signal. Blocking calls are restarted, because drivers do not expect EINTR.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(interrupt_signal, &action, &before_);
  if (before_.sa_handler == SIG_IGN) sigaction(interrupt_signal, &before_, nullptr);
}

CatchInterrupts::~CatchInterrupts() { sigaction(interrupt_signal, &before_, nullptr); }

bool interrupted() { return caught != 0; }

void forget_interrupt() { caught = 0; }

}  // namespace nnrt::tool
