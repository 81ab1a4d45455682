// Descriptor sets and the buffer views that they need.
#pragma once

#include "backends/vulkan/pipeline/pipeline_cache.h"
#include "backends/vulkan/pipeline/vk_context.h"

#include <span>
#include <vector>

namespace nnrt::vulkan {

// The memory of a binding.
struct BufferBinding {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0, bytes = 0;
};

// Slack at the end of our buffers, so that views can be lengthened (DevicePlan::views_by_size).
constexpr uint64_t kViewSlack = 256;
// The size, increased if needed, of a view for which the driver does not recompile the shader.
constexpr uint64_t view_bytes(uint64_t bytes) { return bytes + ((bytes >> 8 & 0xff) == 0 ? kViewSlack : 0); }

struct BoundShader {
  const ShaderModule* shader = nullptr;
  std::vector<BufferBinding> buffers;  // by binding
};

struct Descriptors {
  std::vector<UniqueBufferView> views;
  UniqueDescriptorPool pool;
  std::vector<VkDescriptorSet> sets;  // one per bound shader
};

Result<Descriptors> make_descriptors(const Context& context, std::span<const BoundShader> bound);

VkDescriptorType descriptor_type(BindingKind kind);

}  // namespace nnrt::vulkan
