#include "tools/nnrt/base/interrupt.h"

namespace nnrt::tool {
namespace {

volatile std::sig_atomic_t caught = 0;

void on_interrupt(int) { caught = 1; }

}  // namespace

CatchInterrupts::CatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  // The handler is good for one signal, and calls that wait go on: drivers do not expect them to be cut off.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, &before_);
  if (before_.sa_handler == SIG_IGN) sigaction(SIGINT, &before_, nullptr);
}

CatchInterrupts::~CatchInterrupts() { sigaction(SIGINT, &before_, nullptr); }

bool interrupted() { return caught != 0; }

}  // namespace nnrt::tool
