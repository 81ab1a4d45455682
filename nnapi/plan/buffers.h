// A pool of buffers for values of runs.
#pragma once

#include "core/device/device.h"

#include <memory>
#include <mutex>
#include <vector>

namespace nnrt::nnapi {

class Buffers : public std::enable_shared_from_this<Buffers> {
 public:
  // A buffer of at least `bytes`. It returns to the pool when its last owner releases it.
  Result<std::shared_ptr<SharedMemory>> take(size_t bytes);

 private:
  void give_back(std::shared_ptr<SharedMemory> memory);

  std::mutex mutex_;
  std::vector<std::shared_ptr<SharedMemory>> free_;  // sorted by size
};

}  // namespace nnrt::nnapi
