// Reads of deferred bytes beside other work.
#pragma once

#include "core/base/bytes.h"

#include <thread>
#include <vector>

namespace nnrt {

// Reads deferred bytes on another thread if they are large. Errors are left to those who call ensure_read(),
// which waits for a read in progress. The destructor waits, too.
class BackgroundReads {
 public:
  explicit BackgroundReads(std::vector<SharedBytes> deferred);
  BackgroundReads(const BackgroundReads&) = delete;
  BackgroundReads& operator=(const BackgroundReads&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace nnrt
