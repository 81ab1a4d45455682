// Reads deferred bytes while the caller does other work.
#pragma once

#include "core/base/bytes.h"

#include <atomic>
#include <thread>
#include <vector>

namespace nnrt {

// Reads deferred bytes on another thread if they are large. ensure_read() waits for a read in progress, and
// repeats one that failed: errors are reported there. The destructor waits for the current read and skips the
// rest.
class BackgroundReads {
 public:
  explicit BackgroundReads(std::vector<SharedBytes> deferred);
  BackgroundReads(const BackgroundReads&) = delete;
  BackgroundReads& operator=(const BackgroundReads&) = delete;
  ~BackgroundReads();

 private:
  std::atomic<bool> is_stopped_{false};
  std::thread thread_;
};

}  // namespace nnrt
