// A driver's device and the memory it allocates.
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

// Kept alive by everything created from it: memories and prepared models.
class Driver : public std::enable_shared_from_this<Driver> {
 public:
  explicit Driver(std::shared_ptr<hdi::INnrtDevice> device);

  hdi::INnrtDevice& device() const { return *device_; }
  ::nnrt::hdi::IDeviceTraits* traits() const { return traits_; }  // null if it has none

  // memory: allocation failed. unavailable_device: the driver returned something that is not memory of that
  // size.
  Result<std::shared_ptr<SharedMemory>> allocate(size_t bytes);
  // The same, initialized.
  Result<std::shared_ptr<SharedMemory>> allocate_with(ByteView contents);
  // A range of a memory for one call to the driver, with a descriptor of its own unless the driver borrows.
  Result<hdi::SharedBuffer> lend(DescriptorLoan& loan, const SharedMemory& memory, size_t offset,
                                 size_t bytes) const;

 private:
  class Allocation;

  const std::shared_ptr<hdi::INnrtDevice> device_;
  ::nnrt::hdi::IDeviceTraits* const traits_;
  const bool borrows_;  // IDescriptorBorrower
};

}  // namespace nnrt::plugin
