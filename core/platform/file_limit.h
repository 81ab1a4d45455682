// The limit of what the process may write into one file (RLIMIT_FSIZE, ulimit -f) holds for memfds as well.
#pragma once

#include <csignal>

namespace nnrt {

// While it lives, what this thread writes or grows beyond the limit fails with EFBIG, and no SIGXFSZ ends the
// process.
class FileLimit {
 public:
  FileLimit();
  ~FileLimit();
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  bool is_blocked_ = false;  // by this: there is a limit, and the signal was not blocked anyway
};

}  // namespace nnrt
