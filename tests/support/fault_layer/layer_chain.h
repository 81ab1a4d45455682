// What Vulkan layers share: the loader's link info, and keys for maps of instances and devices.
#pragma once

#include <vulkan/vk_layer.h>

namespace nnrt::test {

// The loader's link info, which each layer advances; null if there is none.
template <typename Info>
Info* chain_info(const void* chain, VkStructureType type) {
  for (auto* info = static_cast<const Info*>(chain); info != nullptr;
       info = static_cast<const Info*>(info->pNext)) {
    if (info->sType == type && info->function == VK_LAYER_LINK_INFO) return const_cast<Info*>(info);
  }
  return nullptr;
}

// A dispatchable handle starts with a pointer shared by all handles of its instance or device.
template <typename Handle>
void* dispatch_key(Handle handle) {
  return *reinterpret_cast<void* const*>(handle);
}

// The answer to vkNegotiateLoaderLayerInterfaceVersion.
inline VkResult negotiate(VkNegotiateLayerInterface& wanted, PFN_vkGetInstanceProcAddr instance_proc,
                          PFN_vkGetDeviceProcAddr device_proc) {
  wanted.loaderLayerInterfaceVersion = 2;
  wanted.pfnGetInstanceProcAddr = instance_proc;
  wanted.pfnGetDeviceProcAddr = device_proc;
  wanted.pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}

}  // namespace nnrt::test
