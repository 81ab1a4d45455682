// A tensor's contents in a device buffer that kernels read and write.
#pragma once

#include "backends/vulkan/memory/device_buffer.h"
#include "core/device/residence.h"

namespace nnrt::vulkan {

struct ResidentCopy final : Residence::Copy {
  explicit ResidentCopy(ContextPtr maker) : context(std::move(maker)) {}
  bool is_of(const void* owner) const override { return owner == context.get(); }
  Status read_back(const TensorView& tensor) const override;

  ContextPtr context;
  DeviceBuffer buffer;                   // multiple of kVectorBytes, from offset 0
  const uint64_t id = next_memory_id();  // shares the numbering of SharedMemory::id()
};

// The device copy of a tensor, initialized from host memory.
Result<std::shared_ptr<const ResidentCopy>> resident_copy(const ContextPtr& context, Residence& residence);

}  // namespace nnrt::vulkan
