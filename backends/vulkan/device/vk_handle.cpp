#include "backends/vulkan/device/vk_handle.h"

namespace nnrt::vulkan {

Error vulkan_error(VkResult result, std::string_view call) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_FRAGMENTATION:
    case VK_ERROR_TOO_MANY_OBJECTS: return {Code::memory, cat("Out of device memory for ", call, ".")};
    case VK_ERROR_DEVICE_LOST: return {Code::unavailable_device, cat("The device is lost in ", call, ".")};
    case VK_TIMEOUT: return {Code::timeout, "The deadline passed before the device was done."};
    default: return {Code::failed, cat(call, " failed with VkResult (", int(result), ").")};
  }
}

}  // namespace nnrt::vulkan
