// Vulkan's functions, from a loader that is opened at run time: this library also loads where there is none.
#pragma once

#include "core/base/result.h"

#include <vulkan/vulkan.h>

// The functions that need no instance, and the others.
#define NNRT_VULKAN_FUNCTIONS_OF_LOADER(X)  \
  X(vkCreateInstance)                       \
  X(vkEnumerateInstanceExtensionProperties) \
  X(vkEnumerateInstanceLayerProperties)     \
  X(vkEnumerateInstanceVersion)
#define NNRT_VULKAN_FUNCTIONS(X)              \
  X(vkAllocateCommandBuffers)                 \
  X(vkAllocateDescriptorSets)                 \
  X(vkAllocateMemory)                         \
  X(vkBeginCommandBuffer)                     \
  X(vkBindBufferMemory)                       \
  X(vkCmdBindDescriptorSets)                  \
  X(vkCmdBindPipeline)                        \
  X(vkCmdCopyBuffer)                          \
  X(vkCmdDispatch)                            \
  X(vkCmdFillBuffer)                          \
  X(vkCmdPipelineBarrier)                     \
  X(vkCmdPushConstants)                       \
  X(vkCmdResetQueryPool)                      \
  X(vkCmdWriteTimestamp)                      \
  X(vkCreateBuffer)                           \
  X(vkCreateBufferView)                       \
  X(vkCreateCommandPool)                      \
  X(vkCreateComputePipelines)                 \
  X(vkCreateDescriptorPool)                   \
  X(vkCreateDescriptorSetLayout)              \
  X(vkCreateDevice)                           \
  X(vkCreatePipelineCache)                    \
  X(vkCreatePipelineLayout)                   \
  X(vkCreateQueryPool)                        \
  X(vkCreateSemaphore)                        \
  X(vkCreateShaderModule)                     \
  X(vkDestroyBuffer)                          \
  X(vkDestroyBufferView)                      \
  X(vkDestroyCommandPool)                     \
  X(vkDestroyDescriptorPool)                  \
  X(vkDestroyDescriptorSetLayout)             \
  X(vkDestroyDevice)                          \
  X(vkDestroyPipeline)                        \
  X(vkDestroyPipelineCache)                   \
  X(vkDestroyPipelineLayout)                  \
  X(vkDestroyQueryPool)                       \
  X(vkDestroySemaphore)                       \
  X(vkDestroyShaderModule)                    \
  X(vkEndCommandBuffer)                       \
  X(vkEnumerateDeviceExtensionProperties)     \
  X(vkEnumeratePhysicalDevices)               \
  X(vkFreeMemory)                             \
  X(vkGetBufferMemoryRequirements)            \
  X(vkGetDeviceProcAddr)                      \
  X(vkGetDeviceQueue)                         \
  X(vkGetPhysicalDeviceFeatures2)             \
  X(vkGetPhysicalDeviceMemoryProperties)      \
  X(vkGetPhysicalDeviceProperties)            \
  X(vkGetPhysicalDeviceProperties2)           \
  X(vkGetPhysicalDeviceQueueFamilyProperties) \
  X(vkGetPipelineCacheData)                   \
  X(vkGetQueryPoolResults)                    \
  X(vkGetSemaphoreCounterValue)               \
  X(vkMapMemory)                              \
  X(vkMergePipelineCaches)                    \
  X(vkQueueSubmit)                            \
  X(vkUpdateDescriptorSets)                   \
  X(vkWaitSemaphores)

namespace nnrt::vulkan {

inline PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;
#define NNRT_DECLARE(name) inline PFN_##name name = nullptr;
NNRT_VULKAN_FUNCTIONS_OF_LOADER(NNRT_DECLARE)
NNRT_VULKAN_FUNCTIONS(NNRT_DECLARE)
#undef NNRT_DECLARE

// unavailable_device if there is no loader, or if it lacks a function.
Status open_loader();
// After open_loader().
Status load_functions(VkInstance instance);

}  // namespace nnrt::vulkan
