// The memory of a driver's clients: what AllocateBuffer gave them, and other files.
#pragma once

#include "api/driver/driver_answer.h"
#include "core/platform/shared_memory.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace nnrt::driver {

// Thread safe. A client in another process sends duplicates of descriptors, so memory is found by its file.
class DriverMemory {
 public:
  hdi::SharedBuffer keep(std::shared_ptr<SharedMemory> memory);
  // invalid_parameter: it is not there.
  Status release(const hdi::SharedBuffer& buffer);

  // The data of a tensor of a run. OpenHarmony's runtime gives the size of the whole memory even behind an
  // offset, so data may seem to end beyond it.
  Result<TensorView> view_of(const hdi::SharedBuffer& buffer) const;

 private:
  using File = std::pair<uint64_t, uint64_t>;  // device and inode
  static Result<File> file_of(int fd);

  mutable std::mutex mutex_;
  std::map<File, std::shared_ptr<SharedMemory>> kept_;
};

}  // namespace nnrt::driver
