// Descriptor sets, and the views of buffers that they need.
#pragma once

#include "backends/vulkan/context.h"
#include "backends/vulkan/pipeline_cache.h"

#include <span>
#include <vector>

namespace nnrt::vulkan {

// Memory behind a binding.
struct Bound {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0, bytes = 0;
};

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

// How the device is told of a binding of this kind.
VkDescriptorType descriptor_type(BindingKind kind);

}  // namespace nnrt::vulkan
