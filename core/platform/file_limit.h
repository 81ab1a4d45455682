// The file size limit (RLIMIT_FSIZE, ulimit -f) also applies to memfds.
#pragma once

#include <csignal>

namespace nnrt {

// In its scope, exceeding the limit on this thread fails with EFBIG instead of raising SIGXFSZ.
class FileLimit {
 public:
  FileLimit();
  ~FileLimit();
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  bool is_blocked_ = false;  // there is a limit, and this object blocked the signal
};

}  // namespace nnrt
