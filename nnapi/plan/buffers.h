// Memory for values of runs, kept for the next run.
#pragma once

#include "core/device/device.h"

#include <memory>
#include <mutex>
#include <vector>

namespace nnrt::nnapi {

class Buffers : public std::enable_shared_from_this<Buffers> {
 public:
  // At least `bytes` long. It comes back when the last owner lets go of it.
  Result<std::shared_ptr<SharedMemory>> take(size_t bytes);

 private:
  void give_back(std::shared_ptr<SharedMemory> memory);

  std::mutex mutex_;
  std::vector<std::shared_ptr<SharedMemory>> free_;  // in ascending order of their sizes
};

}  // namespace nnrt::nnapi
