#include "backends/vulkan/device/vk_functions.h"

#include "core/base/text.h"

#include <dlfcn.h>

namespace nnrt::vulkan {
namespace {

// Never closed, like the instance. Boards name it without a version.
void* loader() {
  void* const named = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  return named != nullptr ? named : dlopen("libvulkan.so", RTLD_NOW | RTLD_LOCAL);
}

template <typename Function>
Status load(VkInstance instance, const char* name, Function& function) {
  function = reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
  if (function != nullptr) return {};
  return Error{Code::unavailable_device, cat("The Vulkan loader has no function ", name, ".")};
}

}  // namespace

#define NNRT_LOAD(name) NNRT_TRY(load(instance, #name, name));

Status open_loader() {
  void* const library = loader();
  if (library == nullptr)
    return Error{Code::unavailable_device, cat("The Vulkan loader cannot be opened: ", dlerror(), ".")};
  vkGetInstanceProcAddr =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (vkGetInstanceProcAddr == nullptr)
    return Error{Code::unavailable_device, "The Vulkan loader has no function vkGetInstanceProcAddr."};
  const VkInstance instance = VK_NULL_HANDLE;
  NNRT_VULKAN_FUNCTIONS_OF_LOADER(NNRT_LOAD)
  return {};
}

Status load_functions(VkInstance instance) {
  NNRT_VULKAN_FUNCTIONS(NNRT_LOAD)
  return {};
}

#undef NNRT_LOAD

}  // namespace nnrt::vulkan
