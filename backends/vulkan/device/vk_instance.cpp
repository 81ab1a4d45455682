#include "backends/vulkan/device/vk_instance.h"

#include "core/platform/log.h"
#include "core/platform/settings.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace nnrt::vulkan {
namespace {

constexpr char kLayer[] = "VK_LAYER_KHRONOS_validation";

enum class Validation : uint8_t { off, report, abort };

Validation wanted_validation() { return Validation(setting_choice(Setting::vulkan_validation).value_or(0)); }

bool layer_present() {
  uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  return std::any_of(layers.begin(), layers.end(),
                     [](const auto& layer) { return std::strcmp(layer.layerName, kLayer) == 0; });
}

bool layer_offers(const char* extension) {
  uint32_t count = 0;
  vkEnumerateInstanceExtensionProperties(kLayer, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateInstanceExtensionProperties(kLayer, &count, extensions.data());
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](const auto& e) { return std::strcmp(e.extensionName, extension) == 0; });
}

VKAPI_ATTR VkBool32 VKAPI_CALL report(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                      const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  log(LogLevel::error, cat("Vulkan validation: ", data->pMessage));
  return VK_FALSE;
}

VKAPI_ATTR VkBool32 VKAPI_CALL report_and_abort(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                VkDebugUtilsMessageTypeFlagsEXT types,
                                                const VkDebugUtilsMessengerCallbackDataEXT* data,
                                                void* user) {
  report(severity, types, data, user);
  std::abort();
}

// Never destroyed, like the instance.
Status report_findings(VkInstance instance, PFN_vkDebugUtilsMessengerCallbackEXT callback) {
  VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType =
      VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = callback;
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"));
  if (create == nullptr) return {};
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  return check(create(instance, &info, nullptr, &messenger), "vkCreateDebugUtilsMessengerEXT");
}

Status require_version() {
  uint32_t version = 0;
  NNRT_TRY(check(vkEnumerateInstanceVersion(&version), "vkEnumerateInstanceVersion"));
  if (version >= VK_API_VERSION_1_2) return {};
  return Error{Code::unavailable_device, "The Vulkan loader is older than version 1.2."};
}

Result<VkInstance> create_instance(Validation validation) {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pEngineName = "NNRt";
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;

  const char* layer = kLayer;
  std::vector<const char*> extensions;
  const VkValidationFeatureEnableEXT feature = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT synchronization{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
  synchronization.enabledValidationFeatureCount = 1;
  synchronization.pEnabledValidationFeatures = &feature;
  if (validation != Validation::off) {
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &layer;
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    if (layer_offers(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME)) {
      extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
      info.pNext = &synchronization;
    }
  }
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkInstance instance = VK_NULL_HANDLE;
  NNRT_TRY(check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance"));
  return instance;
}

Result<VkInstance> open_vulkan() {
  NNRT_TRY(open_loader());
  NNRT_TRY(require_version());
  Validation validation = wanted_validation();
  if (validation != Validation::off && !layer_present()) {
    log(LogLevel::error,
        cat(row(Setting::vulkan_validation).name, " is set, but ", kLayer, " is not installed."));
    validation = Validation::off;
  }
  NNRT_ASSIGN(const VkInstance instance, create_instance(validation));
  NNRT_TRY(load_functions(instance));
  if (validation != Validation::off) {
    NNRT_TRY(report_findings(instance, validation == Validation::abort ? report_and_abort : report));
  }
  return instance;
}

int order(VkPhysicalDevice device) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(device, &properties);
  switch (properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return 4;
    default: return 3;
  }
}

}  // namespace

Result<VkInstance> instance() {
  static const Result<VkInstance> only = open_vulkan();
  return only;
}

Result<std::vector<VkPhysicalDevice>> physical_devices() {
  NNRT_ASSIGN(const VkInstance vulkan, instance());
  uint32_t count = 0;
  NNRT_TRY(check(vkEnumeratePhysicalDevices(vulkan, &count, nullptr), "vkEnumeratePhysicalDevices"));
  std::vector<VkPhysicalDevice> devices(count);
  NNRT_TRY(check(vkEnumeratePhysicalDevices(vulkan, &count, devices.data()), "vkEnumeratePhysicalDevices"));
  std::stable_sort(devices.begin(), devices.end(),
                   [](VkPhysicalDevice a, VkPhysicalDevice b) { return order(a) < order(b); });
  return devices;
}

}  // namespace nnrt::vulkan
