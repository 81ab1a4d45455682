// A shader that saturates a device: it reads one buffer and writes another.
#pragma once

#include "backends/vulkan/pipeline/vk_context.h"

#include <span>
#include <stdexcept>

namespace bench {

// The meaning of the fields depends on the shader.
struct LimitPush {
  float factor;
  uint32_t steps;
};

class LimitKernel {
 public:
  // `words` are SPIR-V. Throws std::runtime_error on Vulkan errors.
  LimitKernel(const nnrt::vulkan::Context& context, std::span<const uint32_t> words, VkBuffer source,
              VkBuffer result);

  void record(VkCommandBuffer commands, const LimitPush& push, uint32_t groups) const;

 private:
  void make_layouts();
  void make_pipeline(std::span<const uint32_t> words);
  void bind(VkBuffer source, VkBuffer result);

  VkDevice device_;
  nnrt::vulkan::UniqueSetLayout set_layout_;
  nnrt::vulkan::UniquePipelineLayout layout_;
  nnrt::vulkan::UniquePipeline pipeline_;
  nnrt::vulkan::UniqueDescriptorPool pool_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

template <typename Handle>
Handle done(VkResult result, const Handle& handle) {
  if (result != VK_SUCCESS) throw std::runtime_error("A Vulkan call of the bench fails.");
  return handle;
}

}  // namespace bench
