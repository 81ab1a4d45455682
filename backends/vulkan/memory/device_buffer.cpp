#include "backends/vulkan/memory/device_buffer.h"

#include "backends/vulkan/memory/buffer_region.h"
#include "backends/vulkan/pipeline/descriptors.h"
#include "core/platform/log.h"

#include <bit>
#include <optional>

namespace nnrt::vulkan {
namespace {

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                      VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                      VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr uint32_t kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr uint32_t kMapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr uint32_t kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

struct MemoryPreference {
  uint32_t required, preferred;
};

MemoryPreference memory_preference(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::device: return {0, kLocal};
    case MemoryKind::unified: return {kLocal | kMapped, kCached};
    case MemoryKind::staging: break;
  }
  return {kMapped, kCached};
}

// The first of the `allowed` types that has the preferred flags, else the first with the required ones.
std::optional<uint32_t> choose_type(const DevicePlan& plan, uint32_t allowed, MemoryPreference preference) {
  for (const uint32_t flags : {preference.required | preference.preferred, preference.required}) {
    for (uint32_t i = 0; i < plan.memory_types.size(); ++i) {
      if ((allowed >> i & 1u) != 0 && (plan.memory_types[i].flags & flags) == flags) return i;
    }
  }
  return std::nullopt;
}

Status make_vk_buffer(const Context& context, uint64_t bytes, const void* next, UniqueBuffer& buffer) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, next};
  info.size = bytes;
  info.usage = kUsage;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  return make(context, vkCreateBuffer, info, buffer, "vkCreateBuffer");
}

VkMemoryRequirements requirements_of(const Context& context, const UniqueBuffer& buffer) {
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(context.device(), buffer.get(), &requirements);
  return requirements;
}

Error refused(std::string_view reason) { return {Code::failed, std::string(reason)}; }

Status try_import(const Context& context, std::byte* data, uint64_t bytes, UniqueBuffer& buffer,
                  UniqueMemory& memory) {
  const DevicePlan& plan = context.plan();
  if (context.host_pointer_properties() == nullptr) return refused("The device cannot import host memory.");
  if (reinterpret_cast<uintptr_t>(data) % plan.host.alignment != 0 || bytes % plan.host.alignment != 0) {
    return refused(cat("The mapping is not aligned to ", plan.host.alignment, " bytes."));
  }
  if (bytes > plan.max_allocation) return refused("The memory is larger than the device's limit.");
  constexpr auto kHandle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkMemoryHostPointerPropertiesEXT properties{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
  NNRT_TRY(context.check(context.host_pointer_properties()(context.device(), kHandle, data, &properties),
                         "vkGetMemoryHostPointerPropertiesEXT"));

  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = kHandle;
  NNRT_TRY(make_vk_buffer(context, bytes, &external, buffer));
  const VkMemoryRequirements requirements = requirements_of(context, buffer);
  const auto type =
      choose_type(plan, properties.memoryTypeBits & requirements.memoryTypeBits, {kMapped, kCached});
  if (!type) return refused("The device has no suitable memory type.");
  if (requirements.size > bytes) return refused("The device needs more bytes than the memory has.");

  VkImportMemoryHostPointerInfoEXT pointer{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
  pointer.handleType = kHandle;
  pointer.pHostPointer = data;
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &pointer};
  info.allocationSize = bytes;
  info.memoryTypeIndex = *type;
  NNRT_TRY(make(context, vkAllocateMemory, info, memory, "vkAllocateMemory"));
  return context.check(vkBindBufferMemory(context.device(), buffer.get(), memory.get(), 0),
                       "vkBindBufferMemory");
}

Status try_import(HostImport& import, const SharedMemory& memory) {
  const Context& context = *import.context;
  if (memory.read_only() && !context.plan().host.imports_read_only)
    return refused("The memory is read-only.");
  return try_import(context, memory.data(), memory.mapped_bytes(), import.buffer, import.memory);
}

// Adds room for views that get lengthened, and avoids powers of two.
uint64_t with_slack(uint64_t bytes, const DevicePlan& plan) {
  if (!plan.views_by_size || bytes > plan.max_allocation - 2 * kViewSlack) return bytes;
  bytes += kViewSlack;
  return std::has_single_bit(bytes) ? bytes + kVectorBytes : bytes;
}

Status fill_in(const Context& context, uint64_t bytes, MemoryKind kind, DeviceBuffer& made) {
  made.bytes = bytes;
  NNRT_TRY(make_vk_buffer(context, with_slack(bytes, context.plan()), nullptr, made.buffer));
  const VkMemoryRequirements requirements = requirements_of(context, made.buffer);
  if (requirements.size > context.plan().max_allocation) {
    return Error{Code::memory,
                 cat("The buffer is larger than the device's limit (", context.plan().max_allocation, ").")};
  }
  const auto type = choose_type(context.plan(), requirements.memoryTypeBits, memory_preference(kind));
  if (!type) return Error{Code::failed, "The device has no memory of the required kind."};

  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  info.allocationSize = requirements.size;
  info.memoryTypeIndex = *type;
  NNRT_TRY(make(context, vkAllocateMemory, info, made.memory, "vkAllocateMemory"));
  NNRT_TRY(context.check(vkBindBufferMemory(context.device(), made.buffer.get(), made.memory.get(), 0),
                         "vkBindBufferMemory"));
  if (kind != MemoryKind::device) {
    void* mapped = nullptr;
    NNRT_TRY(context.check(vkMapMemory(context.device(), made.memory.get(), 0, VK_WHOLE_SIZE, 0, &mapped),
                           "vkMapMemory"));
    made.mapped = static_cast<std::byte*>(mapped);
  }
  return {};
}

}  // namespace

Result<DeviceBuffer> make_buffer(const Context& context, uint64_t bytes, MemoryKind kind) {
  DeviceBuffer made;
  if (Status status = fill_in(context, bytes, kind, made); !status.ok()) {
    return std::move(status).error().during(cat("a buffer (", bytes, " bytes)"));
  }
  return made;
}

Result<DeviceBuffer> import_pages(const Context& context, const SharedBytes& pages) {
  DeviceBuffer made;
  made.pages = pages.owner();
  made.bytes = pages->size();
  // The import needs writable memory; the caller must ensure that nothing writes it.
  made.mapped = const_cast<std::byte*>(pages->data());
  NNRT_TRY(try_import(context, made.mapped, made.bytes, made.buffer, made.memory));
  return made;
}

std::shared_ptr<const HostImport> import_host_memory(const ContextPtr& context, SharedMemory& memory) {
  const auto attached = memory.attachment(context.get(), [&] {
    auto import = std::make_shared<HostImport>(context);
    if (const Status status = try_import(*import, memory); !status.ok()) {
      log(LogLevel::info, cat("Memory of ", memory.bytes(), " bytes is copied, not shared, with ",
                              context->plan().name, ": ", status.error().message));
      import = std::make_shared<HostImport>(context);
    }
    return import;
  });
  auto import = std::static_pointer_cast<const HostImport>(attached);
  return import->buffer.get() != VK_NULL_HANDLE ? import : nullptr;
}

}  // namespace nnrt::vulkan
