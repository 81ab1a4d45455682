// Memory that the device sees: buffers of its own, staging, and imports of the host's.
#pragma once

#include "backends/vulkan/pipeline/vk_context.h"
#include "core/base/bytes.h"
#include "core/platform/shared_memory.h"

#include <memory>

namespace nnrt::vulkan {

// A buffer with memory of its own.
struct DeviceBuffer {
  std::shared_ptr<const void> pages;  // the host's, if the memory is an import of these
  UniqueMemory memory;                // outlives the buffer
  UniqueBuffer buffer;
  uint64_t bytes = 0;
  std::byte* mapped = nullptr;  // set if the host sees the memory; coherent

  VkBuffer get() const { return buffer.get(); }
};

enum class MemoryKind : uint8_t {
  device,   // fast for kernels
  unified,  // both: fast for kernels and mapped. Fails where there is no such memory.
  staging,  // mapped, fast to read for the host
};

// Code::memory where there is none left.
Result<DeviceBuffer> make_buffer(const Context& context, uint64_t bytes, MemoryKind kind);

// Whole pages of the host as a buffer that kernels only read. Fails if the device does not support that.
Result<DeviceBuffer> import_pages(const Context& context, const SharedBytes& pages);

// A mapping as a buffer of the device, all of its pages; without a buffer where the driver refuses.
struct HostImport final : SharedMemory::Attachment {
  explicit HostImport(ContextPtr importer) : context(std::move(importer)) {}
  bool is_of(const void* owner) const override { return owner == context.get(); }
  bool is_stale() const override { return context->lost(); }

  ContextPtr context;
  UniqueMemory memory;
  UniqueBuffer buffer;
};

// Made once for each memory and device, and kept by the memory until the device is lost; null where the
// driver refuses.
std::shared_ptr<const HostImport> import_host_memory(const ContextPtr& context, SharedMemory& memory);

}  // namespace nnrt::vulkan
