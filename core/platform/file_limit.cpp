#include "core/platform/file_limit.h"

#include <sys/resource.h>

#include <cerrno>
#include <ctime>

namespace nnrt {
namespace {

sigset_t size_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

}  // namespace

FileLimit::FileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const sigset_t set = size_signal();
  sigset_t before;
  is_blocked_ = pthread_sigmask(SIG_BLOCK, &set, &before) == 0 && sigismember(&before, SIGXFSZ) == 0;
}

// Consumes a pending signal before unblocking. Preserves errno of the write.
FileLimit::~FileLimit() {
  if (!is_blocked_) return;
  const int error = errno;
  const sigset_t set = size_signal();
  constexpr timespec kNow{};
  while (sigtimedwait(&set, nullptr, &kNow) > 0) {
  }
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  errno = error;
}

}  // namespace nnrt
