// Descriptor sets, and the views of buffers that they need.
#pragma once

#include "backends/vulkan/pipeline/pipeline_cache.h"
#include "backends/vulkan/pipeline/vk_context.h"

#include <span>
#include <vector>

namespace nnrt::vulkan {

// Memory behind a binding.
struct Bound {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0, bytes = 0;
};

// Buffers of ours go on behind what is asked for, where DevicePlan::views_by_size says so: far enough for
// views to be made longer.
constexpr uint64_t kViewSlack = 256;
// As many bytes, or more: of a view for which no shader is compiled again.
constexpr uint64_t view_bytes(uint64_t bytes) { return bytes + ((bytes >> 8 & 0xff) == 0 ? kViewSlack : 0); }

struct BoundShader {
  const ShaderModule* shader = nullptr;
  std::vector<Bound> buffers;  // by binding
};

struct Descriptors {
  std::vector<UniqueBufferView> views;
  UniqueDescriptorPool pool;
  std::vector<VkDescriptorSet> sets;  // one for each shader bound
};

Result<Descriptors> make_descriptors(const Context& context, std::span<const BoundShader> bound);

// The descriptor type of a binding of this kind.
VkDescriptorType descriptor_type(BindingKind kind);

}  // namespace nnrt::vulkan
