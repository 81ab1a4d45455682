// A driver's device, and memory that it allocates.
#pragma once

#include "backends/plugin/descriptor_loan.h"
#include "backends/plugin/driver_call.h"
#include "core/base/bytes.h"
#include "core/platform/shared_memory.h"

#include <neural_network_runtime/hdi/plugin.h>

#include <memory>
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

 private:
  class Allocation;

  const std::shared_ptr<hdi::INnrtDevice> device_;
  ::nnrt::hdi::IDeviceTraits* const traits_;
};

// A part of a memory as a driver gets it for one call, with a descriptor of its own.
Result<hdi::SharedBuffer> lent_buffer(DescriptorLoan& loan, const SharedMemory& memory, size_t offset,
                                      size_t bytes);

}  // namespace nnrt::plugin
