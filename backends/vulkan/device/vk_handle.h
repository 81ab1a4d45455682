// RAII Vulkan handles, and VkResult as Error. The device must outlive its handles.
#pragma once

#include "backends/vulkan/device/vk_functions.h"
#include "core/base/text.h"

#include <string_view>
#include <utility>

namespace nnrt::vulkan {

template <typename Handle, auto kDestroy>
class Unique {
 public:
  Unique() = default;
  Unique(VkDevice device, Handle handle) : device_(device), handle_(handle) {}
  Unique(Unique&& other) noexcept
      : device_(other.device_), handle_(std::exchange(other.handle_, VK_NULL_HANDLE)) {}
  Unique& operator=(Unique&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Unique() {
    if (handle_ != VK_NULL_HANDLE) (*kDestroy)(device_, handle_, nullptr);
  }

  Handle get() const { return handle_; }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  Handle handle_ = VK_NULL_HANDLE;
};

using UniqueBuffer = Unique<VkBuffer, &vkDestroyBuffer>;
using UniqueBufferView = Unique<VkBufferView, &vkDestroyBufferView>;
using UniqueMemory = Unique<VkDeviceMemory, &vkFreeMemory>;
using UniqueShaderModule = Unique<VkShaderModule, &vkDestroyShaderModule>;
using UniqueSetLayout = Unique<VkDescriptorSetLayout, &vkDestroyDescriptorSetLayout>;
using UniquePipelineLayout = Unique<VkPipelineLayout, &vkDestroyPipelineLayout>;
using UniquePipelineCache = Unique<VkPipelineCache, &vkDestroyPipelineCache>;
using UniquePipeline = Unique<VkPipeline, &vkDestroyPipeline>;
using UniqueDescriptorPool = Unique<VkDescriptorPool, &vkDestroyDescriptorPool>;
using UniqueCommandPool = Unique<VkCommandPool, &vkDestroyCommandPool>;
using UniqueQueryPool = Unique<VkQueryPool, &vkDestroyQueryPool>;
using UniqueSemaphore = Unique<VkSemaphore, &vkDestroySemaphore>;

// memory, unavailable_device (lost), timeout, or failed: "vkQueueSubmit failed with VkResult (-4)."
Error vulkan_error(VkResult result, std::string_view call);

// For calls without a VkDevice; others use Context::check().
inline Status check(VkResult result, std::string_view call) {
  if (result >= VK_SUCCESS && result != VK_TIMEOUT) return {};
  return vulkan_error(result, call);
}

}  // namespace nnrt::vulkan
