#include "tests/support/statistics_layer/statistics_layer.h"

#include "tests/support/fault_layer/layer_chain.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

namespace nnrt::statistics {
namespace {

using Lookup = std::function<PFN_vkVoidFunction(const char* name)>;

class Layer {
 public:
  template <typename Handle>
  void add(Handle handle, Lookup below) {
    const std::lock_guard lock(mutex_);
    below_[test::dispatch_key(handle)] = std::move(below);
  }
  template <typename Handle>
  PFN_vkVoidFunction find(Handle handle, const char* name) {
    const std::lock_guard lock(mutex_);
    return below_.at(test::dispatch_key(handle))(name);
  }
  // The next layer's function.
  template <typename Function, typename Handle>
  Function next(Handle handle, const char* name) {
    return reinterpret_cast<Function>(find(handle, name));
  }

  void set_reports(VkDevice device) {
    const std::lock_guard lock(mutex_);
    reporting_.insert(test::dispatch_key(device));
  }
  bool reports(VkDevice device) {
    const std::lock_guard lock(mutex_);
    return reporting_.contains(test::dispatch_key(device));
  }

  void capture_code() { captures_code_ = true; }
  bool captures_code() const { return captures_code_; }

  void record(CompileRecord one) {
    const std::lock_guard lock(mutex_);
    compiled_.push_back(std::move(one));
  }
  std::vector<CompileRecord> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(compiled_, {});
  }

 private:
  std::mutex mutex_;
  std::map<void*, Lookup> below_;
  std::set<void*> reporting_;  // devices with VK_KHR_pipeline_executable_properties
  std::vector<CompileRecord> compiled_;
  std::atomic<bool> captures_code_ = false;
};

Layer& layer() {
  static Layer only;
  return only;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkInstance* instance) {
  auto* chain =
      test::chain_info<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  const auto next = chain->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  chain->u.pLayerInfo = chain->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result = create(info, allocator, instance);
  if (result == VK_SUCCESS)
    layer().add(*instance, [next, made = *instance](const char* name) { return next(made, name); });
  return result;
}

bool offers_statistics(VkPhysicalDevice physical) {
  const auto enumerate = layer().next<PFN_vkEnumerateDeviceExtensionProperties>(
      physical, "vkEnumerateDeviceExtensionProperties");
  uint32_t count = 0;
  if (enumerate(physical, nullptr, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkExtensionProperties> all(count);
  if (enumerate(physical, nullptr, &count, all.data()) != VK_SUCCESS) return false;
  return std::ranges::any_of(all, [](const VkExtensionProperties& one) {
    return std::string_view(one.extensionName) == VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
  auto* chain =
      test::chain_info<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  const auto next = chain->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  chain->u.pLayerInfo = chain->u.pLayerInfo->pNext;
  VkDeviceCreateInfo wanted = *info;
  std::vector<const char*> names(info->ppEnabledExtensionNames,
                                 info->ppEnabledExtensionNames + info->enabledExtensionCount);
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
      const_cast<void*>(info->pNext), VK_TRUE};
  const bool has_statistics = offers_statistics(physical);
  if (has_statistics) {
    names.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
    wanted.pNext = &statistics;
    wanted.enabledExtensionCount = uint32_t(names.size());
    wanted.ppEnabledExtensionNames = names.data();
  }
  const auto create = layer().next<PFN_vkCreateDevice>(physical, "vkCreateDevice");
  const VkResult result = create(physical, &wanted, allocator, device);
  if (result != VK_SUCCESS) return result;
  layer().add(*device, [next, made = *device](const char* name) { return next(made, name); });
  if (has_statistics) layer().set_reports(*device);
  return result;
}

double value_of(const VkPipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: return statistic.value.b32;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR: return double(statistic.value.i64);
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR: return double(statistic.value.u64);
    default: return statistic.value.f64;
  }
}

std::map<std::string, double> statistics_of(VkDevice device, VkPipeline pipeline) {
  const auto ask =
      layer().next<PFN_vkGetPipelineExecutableStatisticsKHR>(device, "vkGetPipelineExecutableStatisticsKHR");
  const VkPipelineExecutableInfoKHR first{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, nullptr, pipeline,
                                          0};
  uint32_t count = 0;
  if (ask(device, &first, &count, nullptr) != VK_SUCCESS) return {};
  std::vector<VkPipelineExecutableStatisticKHR> all(count);
  for (auto& one : all) one.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
  if (ask(device, &first, &count, all.data()) != VK_SUCCESS) return {};
  std::map<std::string, double> values;
  for (const auto& one : all) values[one.name] = value_of(one);
  return values;
}

// ACO's IR, which shows the kinds of blocks and needs no disassembler.
std::string code_of(VkDevice device, VkPipeline pipeline) {
  const auto ask = layer().next<PFN_vkGetPipelineExecutableInternalRepresentationsKHR>(
      device, "vkGetPipelineExecutableInternalRepresentationsKHR");
  const VkPipelineExecutableInfoKHR first{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, nullptr, pipeline,
                                          0};
  uint32_t count = 0;
  if (ask(device, &first, &count, nullptr) != VK_SUCCESS) return {};
  std::vector<VkPipelineExecutableInternalRepresentationKHR> all(count);
  for (auto& one : all) one.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
  if (ask(device, &first, &count, all.data()) != VK_SUCCESS) return {};
  std::vector<std::string> texts(count);
  for (size_t i = 0; i < count; ++i) {
    texts[i].resize(all[i].dataSize);
    all[i].pData = texts[i].data();
  }
  if (ask(device, &first, &count, all.data()) != VK_SUCCESS) return {};
  for (size_t i = 0; i < count; ++i)
    if (std::string_view(all[i].name) == "ACO IR") return texts[i].c_str();
  return {};
}

double cpu_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                const VkComputePipelineCreateInfo* infos,
                                                const VkAllocationCallbacks* allocator,
                                                VkPipeline* pipelines) {
  const auto create = layer().next<PFN_vkCreateComputePipelines>(device, "vkCreateComputePipelines");
  const bool reports = layer().reports(device);
  std::fill_n(pipelines, count, VkPipeline{VK_NULL_HANDLE});
  for (uint32_t i = 0; i < count; ++i) {
    VkComputePipelineCreateInfo info = infos[i];
    const bool captures_code = reports && layer().captures_code();
    if (reports) info.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    if (captures_code) info.flags |= VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
    const double begin = cpu_milliseconds();
    CompileRecord one;
    one.result = create(device, cache, 1, &info, allocator, &pipelines[i]);
    one.milliseconds = cpu_milliseconds() - begin;
    const VkResult result = one.result;
    if (result == VK_SUCCESS && reports) one.values = statistics_of(device, pipelines[i]);
    if (result == VK_SUCCESS && captures_code) one.code = code_of(device, pipelines[i]);
    layer().record(std::move(one));
    if (result != VK_SUCCESS) return result;
  }
  return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc(VkDevice device, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc(VkInstance instance, const char* name);

PFN_vkVoidFunction entry_of(std::string_view name) {
  if (name == "vkCreateInstance") return reinterpret_cast<PFN_vkVoidFunction>(&create_instance);
  if (name == "vkCreateDevice") return reinterpret_cast<PFN_vkVoidFunction>(&create_device);
  if (name == "vkCreateComputePipelines") return reinterpret_cast<PFN_vkVoidFunction>(&create_pipelines);
  if (name == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(&get_device_proc);
  if (name == "vkGetInstanceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(&get_instance_proc);
  return nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc(VkDevice device, const char* name) {
  const PFN_vkVoidFunction entry = entry_of(name);
  return entry != nullptr ? entry : layer().find(device, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction entry = entry_of(name);
  return entry != nullptr || instance == VK_NULL_HANDLE ? entry : layer().find(instance, name);
}

}  // namespace

std::vector<CompileRecord> take_compiled() { return layer().take(); }
void capture_code() { layer().capture_code(); }

}  // namespace nnrt::statistics

extern "C" __attribute__((visibility("default"))) VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* wanted) {
  return nnrt::test::negotiate(*wanted, &nnrt::statistics::get_instance_proc,
                               &nnrt::statistics::get_device_proc);
}
