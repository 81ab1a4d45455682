// A driver's device, and memory that it allocates.
#pragma once

#include "backends/plugin/call.h"
#include "core/bytes.h"
#include "core/shared_memory.h"

#include <neural_network_runtime/hdi/plugin.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace nnrt::plugin {

namespace hdi = ::nnrt::hdi::V2_0;

// Outlives everything that comes from it: memories and prepared models own a part of it.
class Driver : public std::enable_shared_from_this<Driver> {
 public:
  explicit Driver(std::shared_ptr<hdi::INnrtDevice> device);

  hdi::INnrtDevice& device() const { return *device_; }
  ::nnrt::hdi::IDeviceTraits* traits() const { return traits_; }  // null: it has none

  // memory: nothing was given. unavailable_device: what was given is no memory of that size.
  Result<std::shared_ptr<SharedMemory>> allocate(size_t bytes);
  // The same with contents.
  Result<std::shared_ptr<SharedMemory>> allocate_with(ByteView contents);

  // How the driver knows a memory: its own by the fd that it gave, any other by ours.
  Result<hdi::SharedBuffer> buffer_of(const SharedMemory& memory, size_t offset, size_t bytes) const;

 private:
  class Allocation;

  const std::shared_ptr<hdi::INnrtDevice> device_;
  ::nnrt::hdi::IDeviceTraits* const traits_;
  mutable std::mutex mutex_;
  std::map<uint64_t, int> fds_;  // of memories of the driver's, by SharedMemory::id()
};

}  // namespace nnrt::plugin
