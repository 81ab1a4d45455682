#include "tests/support/fault_layer/fault_layer.h"

#include "tests/support/fault_layer/layer_chain.h"

#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

namespace nnrt::fault {
namespace {

// An instance or device, as provided by the next layer down.
struct Link {
  using Lookup = std::function<PFN_vkVoidFunction(const char* name)>;
  explicit Link(Lookup lookup, VkDevice of_device = VK_NULL_HANDLE);

  Lookup below;
  std::map<std::string_view, PFN_vkVoidFunction> next;  // next functions for this layer's entry points
  VkDevice device;
  bool lost = false;
};

bool may_report_loss(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "vkQueueSubmit",   "vkWaitSemaphores",     "vkGetSemaphoreCounterValue",
      "vkWaitForFences", "vkGetFenceStatus",     "vkDeviceWaitIdle",
      "vkQueueWaitIdle", "vkGetQueryPoolResults"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

// The kind of object a call creates or destroys; empty for other calls. Descriptor sets and command buffers
// are freed with their pools.
std::string_view kind_of(std::string_view call) {
  for (const std::string_view verb : {"vkCreate", "vkAllocate", "vkDestroy", "vkFree"}) {
    if (!call.starts_with(verb)) continue;
    const std::string_view kind = call.substr(verb.size());
    if (kind == "ComputePipelines") return "Pipeline";
    return kind == "CommandBuffers" || kind == "DescriptorSets" ? "" : kind;
  }
  return "";
}

class Layer {
 public:
  template <typename Handle>
  Link& link_of(Handle handle) {
    const std::lock_guard lock(mutex_);
    return *links_.at(test::dispatch_key(handle));
  }
  template <typename Handle>
  void add(Handle handle, Link link) {
    const std::lock_guard lock(mutex_);
    links_[test::dispatch_key(handle)] = std::make_unique<Link>(std::move(link));
  }
  template <typename Handle>
  void remove(Handle handle) {
    const std::lock_guard lock(mutex_);
    links_.erase(test::dispatch_key(handle));
  }

  // Calls the driver.
  template <typename Result, typename... Params, typename... Args>
  Result pass_on(Result(VKAPI_PTR* function)(Params...), Args... args) {
    const std::shared_lock lock(in_driver_);
    return function(args...);
  }
  // The result of a call that must not reach the driver.
  std::optional<VkResult> refuse(const char* name, Link* link) {
    const std::lock_guard lock(mutex_);
    calls_.emplace_back(name);
    if (link != nullptr && link->lost && may_report_loss(name)) return VK_ERROR_DEVICE_LOST;
    if (planned_ && planned_->first == calls_.size() - 1) {
      if (planned_->second == VK_ERROR_DEVICE_LOST && link != nullptr) lose(*link);
      return planned_->second;
    }
    const auto always = always_.find(name);
    return always == always_.end() ? std::nullopt : std::optional(always->second);
  }
  void count(std::string_view call, int64_t change) {
    const std::string kind(kind_of(call));
    if (kind.empty()) return;
    const std::lock_guard lock(mutex_);
    if ((live_[kind] += change) == 0) live_.erase(kind);
  }

  void reset() {
    const std::lock_guard lock(mutex_);
    calls_.clear();
    planned_.reset();
    always_.clear();
  }
  void plan(size_t number, VkResult result) {
    const std::lock_guard lock(mutex_);
    planned_.emplace(number, result);
  }
  void plan(std::string_view name, VkResult result) {
    const std::lock_guard lock(mutex_);
    always_[std::string(name)] = result;
  }
  void lose_devices() {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, link] : links_) lose(*link);
  }
  std::vector<std::string> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  std::map<std::string, int64_t> live() {
    const std::lock_guard lock(mutex_);
    return live_;
  }

 private:
  // A lost GPU no longer uses anything.
  void lose(Link& link) {
    if (link.device == VK_NULL_HANDLE || link.lost) return;
    const std::unique_lock nobody_else(in_driver_);  // required by the specification
    reinterpret_cast<PFN_vkDeviceWaitIdle>(link.next.at("vkDeviceWaitIdle"))(link.device);
    link.lost = true;
  }

  std::shared_mutex in_driver_;  // held during driver calls
  std::mutex mutex_;             // guards the rest
  std::map<void*, std::unique_ptr<Link>> links_;
  std::vector<std::string> calls_;
  std::optional<std::pair<size_t, VkResult>> planned_;
  std::map<std::string, VkResult, std::less<>> always_;
  std::map<std::string, int64_t> live_;
};

Layer& layer() {
  static Layer only;
  return only;
}

template <size_t kSize>
struct Text {
  constexpr Text(const char (&text)[kSize]) { std::copy_n(text, kSize, chars); }
  char chars[kSize];
};

// Wraps the driver's function.
template <Text kName, typename Function>
struct Entry;

template <Text kName, typename First, typename... Rest>
struct Entry<kName, VkResult(First, Rest...)> {
  static VKAPI_ATTR VkResult VKAPI_CALL call(First first, Rest... rest) {
    Link& link = layer().link_of(first);
    if (const auto fault = layer().refuse(kName.chars, &link)) return *fault;
    const auto next = reinterpret_cast<VkResult(VKAPI_PTR*)(First, Rest...)>(link.next.at(kName.chars));
    const VkResult result = layer().pass_on(next, first, rest...);
    if (result == VK_SUCCESS) layer().count(kName.chars, 1);
    return result;
  }
};

template <Text kName, typename Handle>
struct Entry<kName, void(VkDevice, Handle, const VkAllocationCallbacks*)> {
  static VKAPI_ATTR void VKAPI_CALL call(VkDevice device, Handle handle,
                                         const VkAllocationCallbacks* allocator) {
    if (handle != VK_NULL_HANDLE) layer().count(kName.chars, -1);
    const auto next = reinterpret_cast<void(VKAPI_PTR*)(VkDevice, Handle, const VkAllocationCallbacks*)>(
        layer().link_of(device).next.at(kName.chars));
    layer().pass_on(next, device, handle, allocator);
  }
};

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkInstance* instance) {
  auto* chain =
      test::chain_info<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  const auto next = chain->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  chain->u.pLayerInfo = chain->u.pLayerInfo->pNext;
  if (const auto fault = layer().refuse("vkCreateInstance", nullptr)) return *fault;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result = create(info, allocator, instance);
  if (result != VK_SUCCESS) return result;
  layer().add(*instance, Link([next, made = *instance](const char* name) { return next(made, name); }));
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
  auto* chain =
      test::chain_info<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  const auto next = chain->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  chain->u.pLayerInfo = chain->u.pLayerInfo->pNext;
  if (const auto fault = layer().refuse("vkCreateDevice", nullptr)) return *fault;
  const auto create =
      reinterpret_cast<PFN_vkCreateDevice>(layer().link_of(physical).next.at("vkCreateDevice"));
  const VkResult result = create(physical, info, allocator, device);
  if (result != VK_SUCCESS) return result;
  layer().count("vkCreateDevice", 1);
  layer().add(*device, Link([next, made = *device](const char* name) { return next(made, name); }, *device));
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice device, const VkAllocationCallbacks* allocator) {
  if (device == VK_NULL_HANDLE) return;
  const auto next = layer().link_of(device).next.at("vkDestroyDevice");
  layer().remove(device);
  layer().count("vkDestroyDevice", -1);
  reinterpret_cast<PFN_vkDestroyDevice>(next)(device, allocator);
}

struct Row {
  std::string_view name;
  PFN_vkVoidFunction entry;
};

template <Text kName, typename Function>
Row row() {
  return {kName.chars, reinterpret_cast<PFN_vkVoidFunction>(&Entry<kName, Function>::call)};
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"vkCreateInstance", reinterpret_cast<PFN_vkVoidFunction>(&create_instance)},
      {"vkCreateDevice", reinterpret_cast<PFN_vkVoidFunction>(&create_device)},
      {"vkDestroyDevice", reinterpret_cast<PFN_vkVoidFunction>(&destroy_device)},
      row<"vkEnumeratePhysicalDevices", decltype(vkEnumeratePhysicalDevices)>(),
      row<"vkEnumerateDeviceExtensionProperties", decltype(vkEnumerateDeviceExtensionProperties)>(),
      row<"vkCreateBuffer", decltype(vkCreateBuffer)>(),
      row<"vkDestroyBuffer", decltype(vkDestroyBuffer)>(),
      row<"vkAllocateMemory", decltype(vkAllocateMemory)>(),
      row<"vkFreeMemory", decltype(vkFreeMemory)>(),
      row<"vkBindBufferMemory", decltype(vkBindBufferMemory)>(),
      row<"vkMapMemory", decltype(vkMapMemory)>(),
      row<"vkGetMemoryHostPointerPropertiesEXT", decltype(vkGetMemoryHostPointerPropertiesEXT)>(),
      row<"vkGetMemoryFdPropertiesKHR", decltype(vkGetMemoryFdPropertiesKHR)>(),
      row<"vkCreateBufferView", decltype(vkCreateBufferView)>(),
      row<"vkDestroyBufferView", decltype(vkDestroyBufferView)>(),
      row<"vkCreateShaderModule", decltype(vkCreateShaderModule)>(),
      row<"vkDestroyShaderModule", decltype(vkDestroyShaderModule)>(),
      row<"vkCreateDescriptorSetLayout", decltype(vkCreateDescriptorSetLayout)>(),
      row<"vkDestroyDescriptorSetLayout", decltype(vkDestroyDescriptorSetLayout)>(),
      row<"vkCreatePipelineLayout", decltype(vkCreatePipelineLayout)>(),
      row<"vkDestroyPipelineLayout", decltype(vkDestroyPipelineLayout)>(),
      row<"vkCreatePipelineCache", decltype(vkCreatePipelineCache)>(),
      row<"vkDestroyPipelineCache", decltype(vkDestroyPipelineCache)>(),
      row<"vkGetPipelineCacheData", decltype(vkGetPipelineCacheData)>(),
      row<"vkMergePipelineCaches", decltype(vkMergePipelineCaches)>(),
      row<"vkCreateComputePipelines", decltype(vkCreateComputePipelines)>(),
      row<"vkDestroyPipeline", decltype(vkDestroyPipeline)>(),
      row<"vkCreateDescriptorPool", decltype(vkCreateDescriptorPool)>(),
      row<"vkDestroyDescriptorPool", decltype(vkDestroyDescriptorPool)>(),
      row<"vkAllocateDescriptorSets", decltype(vkAllocateDescriptorSets)>(),
      row<"vkCreateCommandPool", decltype(vkCreateCommandPool)>(),
      row<"vkDestroyCommandPool", decltype(vkDestroyCommandPool)>(),
      row<"vkAllocateCommandBuffers", decltype(vkAllocateCommandBuffers)>(),
      row<"vkBeginCommandBuffer", decltype(vkBeginCommandBuffer)>(),
      row<"vkEndCommandBuffer", decltype(vkEndCommandBuffer)>(),
      row<"vkCreateSemaphore", decltype(vkCreateSemaphore)>(),
      row<"vkDestroySemaphore", decltype(vkDestroySemaphore)>(),
      row<"vkGetSemaphoreCounterValue", decltype(vkGetSemaphoreCounterValue)>(),
      row<"vkWaitSemaphores", decltype(vkWaitSemaphores)>(),
      row<"vkQueueSubmit", decltype(vkQueueSubmit)>(),
      row<"vkDeviceWaitIdle", decltype(vkDeviceWaitIdle)>(),
      row<"vkCreateQueryPool", decltype(vkCreateQueryPool)>(),
      row<"vkDestroyQueryPool", decltype(vkDestroyQueryPool)>(),
      row<"vkGetQueryPoolResults", decltype(vkGetQueryPoolResults)>(),
  };
  return all;
}

// Resolved here: later lookups would lead back to the first layer.
Link::Link(Lookup lookup, VkDevice of_device) : below(std::move(lookup)), device(of_device) {
  for (const Row& row : rows()) next[row.name] = below(std::string(row.name).c_str());
}

PFN_vkVoidFunction entry_of(std::string_view name) {
  const auto found = std::ranges::find(rows(), name, &Row::name);
  return found == rows().end() ? nullptr : found->entry;
}

template <typename Handle>
PFN_vkVoidFunction find(Handle handle, const char* name) {
  const PFN_vkVoidFunction below = layer().link_of(handle).below(name);
  const PFN_vkVoidFunction entry = entry_of(name);
  return below != nullptr && entry != nullptr ? entry : below;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc(VkDevice device, const char* name) {
  if (std::string_view(name) == "vkGetDeviceProcAddr") {
    return reinterpret_cast<PFN_vkVoidFunction>(&get_device_proc);
  }
  return find(device, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc(VkInstance instance, const char* name) {
  const std::string_view wanted = name;
  if (wanted == "vkGetInstanceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(&get_instance_proc);
  if (wanted == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(&get_device_proc);
  if (instance == VK_NULL_HANDLE) return wanted == "vkCreateInstance" ? entry_of(wanted) : nullptr;
  return find(instance, name);
}

}  // namespace

bool knows(std::string_view name) { return entry_of(name) != nullptr; }
void reset() { layer().reset(); }
std::vector<std::string> calls() { return layer().calls(); }
void fail_call(size_t number, VkResult result) { layer().plan(number, result); }
void fail_every(std::string_view name, VkResult result) { layer().plan(name, result); }
void lose_devices() { layer().lose_devices(); }
std::map<std::string, int64_t> live() { return layer().live(); }

}  // namespace nnrt::fault

extern "C" __attribute__((visibility("default"))) VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* wanted) {
  return nnrt::test::negotiate(*wanted, &nnrt::fault::get_instance_proc, &nnrt::fault::get_device_proc);
}
