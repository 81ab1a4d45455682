// The contents of a tensor in a buffer of the device, where kernels read and write them.
#pragma once

#include "backends/vulkan/memory/device_buffer.h"
#include "core/device/residence.h"

namespace nnrt::vulkan {

struct ResidentCopy final : Residence::Copy {
  explicit ResidentCopy(ContextPtr maker) : context(std::move(maker)) {}
  bool is_of(const void* owner) const override { return owner == context.get(); }
  Status read_back(const TensorView& tensor) const override;

  ContextPtr context;
  DeviceBuffer buffer;                   // whole vectors, from 0
  const uint64_t id = next_memory_id();  // as SharedMemory::id()
};

// The copy of a tensor, which begins with what the host's memory has.
Result<std::shared_ptr<const ResidentCopy>> resident_copy(const ContextPtr& context, Residence& residence);

}  // namespace nnrt::vulkan
