// Device-visible memory: device buffers, staging buffers, and imported host memory.
#pragma once

#include "backends/vulkan/pipeline/vk_context.h"
#include "core/base/bytes.h"
#include "core/platform/shared_memory.h"

#include <memory>

namespace nnrt::vulkan {

struct DeviceBuffer {
  std::shared_ptr<const void> pages;  // the imported host pages, if any
  UniqueMemory memory;                // must outlive the buffer
  UniqueBuffer buffer;
  uint64_t bytes = 0;
  std::byte* mapped = nullptr;  // host mapping, if host-visible; always coherent

  VkBuffer get() const { return buffer.get(); }
};

enum class MemoryKind : uint8_t {
  device,   // fast for kernels
  unified,  // fast for kernels and mapped; fails if there is no such memory
  staging,  // mapped and fast for the host to read
};

// Code::memory if allocation fails.
Result<DeviceBuffer> make_buffer(const Context& context, uint64_t bytes, MemoryKind kind);

// Imports host pages as a buffer that kernels only read. Fails if the device does not support it.
Result<DeviceBuffer> import_pages(const Context& context, const SharedBytes& pages);

// All pages of a mapping imported as a device buffer; no buffer if the driver refuses.
struct HostImport final : SharedMemory::Attachment {
  explicit HostImport(ContextPtr importer) : context(std::move(importer)) {}
  bool is_of(const void* owner) const override { return owner == context.get(); }
  bool is_stale() const override { return context->lost(); }

  ContextPtr context;
  UniqueMemory memory;
  UniqueBuffer buffer;
};

// Created once per memory and device, and kept by the memory until the device is lost; null if the driver
// refuses.
std::shared_ptr<const HostImport> import_host_memory(const ContextPtr& context, SharedMemory& memory);

}  // namespace nnrt::vulkan
