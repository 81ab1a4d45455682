#include "backends/vulkan/pipeline/vk_context.h"

#include "backends/vulkan/device/khr_cooperative_matrix.h"
#include "backends/vulkan/pipeline/pipeline_cache.h"

#include <algorithm>
#include <array>
#include <limits>
#include <thread>

namespace nnrt::vulkan {
namespace {

constexpr int kMaxFailedWaits = 100;
// How often a waiting thread checks whether another one found the device lost.
constexpr uint64_t kLongestWait = 1'000'000'000;

uint64_t nanoseconds_left(Deadline deadline) {
  if (!deadline) return std::numeric_limits<uint64_t>::max();
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(*deadline - Clock::now());
  return uint64_t(std::max<int64_t>(left.count(), 0));
}

}  // namespace

Result<ContextPtr> Context::create(VkPhysicalDevice physical, const DevicePlan& plan) {
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = plan.queue.family;
  queue.queueCount = uint32_t(plan.queue.priorities.size());
  queue.pQueuePriorities = plan.queue.priorities.data();
  VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR int8_dot{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR};
  int8_dot.shaderIntegerDotProduct = VK_TRUE;
  VkPhysicalDeviceCooperativeMatrixFeaturesNV cooperative_matrix{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV};
  cooperative_matrix.cooperativeMatrix = VK_TRUE;
  khr::MatrixFeatures khr_matrix;
  khr_matrix.cooperativeMatrix = VK_TRUE;
  nv2::MatrixFeatures flexible_matrix;
  flexible_matrix.cooperativeMatrixFlexibleDimensions = VK_TRUE;
  if (plan.matrices.flexible_side > 0) khr_matrix.pNext = &flexible_matrix;
  VkPhysicalDeviceSubgroupSizeControlFeaturesEXT subgroup_size{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT, nullptr, VK_TRUE, VK_TRUE};
  const bool has_cooperative_matrix = plan.matrices.fp16.rows > 0 && !plan.matrices.emulates_fp16;
  VkPhysicalDevice16BitStorageFeatures storage16{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
  void** next = &storage16.pNext;
  if (plan.int8_dot) {
    *next = &int8_dot;
    next = &int8_dot.pNext;
  }
  if (plan.matrices.sets_subgroup_size) {
    *next = &subgroup_size;
    next = &subgroup_size.pNext;
  }
  if (has_cooperative_matrix)
    *next = plan.matrices.khr ? static_cast<void*>(&khr_matrix) : &cooperative_matrix;
  storage16.storageBuffer16BitAccess = plan.fp16_storage ? VK_TRUE : VK_FALSE;
  VkPhysicalDeviceVulkan12Features vulkan12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            &storage16};
  vulkan12.timelineSemaphore = VK_TRUE;
  vulkan12.shaderFloat16 = has_cooperative_matrix || plan.fp16_arithmetic ? VK_TRUE : VK_FALSE;
  vulkan12.shaderInt8 = plan.matrices.int8.rows > 0 && !plan.matrices.emulates_int8 ? VK_TRUE : VK_FALSE;
  vulkan12.vulkanMemoryModel = has_cooperative_matrix ? VK_TRUE : VK_FALSE;
  vulkan12.vulkanMemoryModelDeviceScope = vulkan12.vulkanMemoryModel;  // for the atomics of other shaders
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &vulkan12};
  features.features.robustBufferAccess = plan.robust_access ? VK_TRUE : VK_FALSE;
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = uint32_t(plan.extensions.size());
  info.ppEnabledExtensionNames = plan.extensions.data();
  VkDevice device = VK_NULL_HANDLE;
  NNRT_TRY(vulkan::check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice"));

  UniqueDevice owned(device);
  auto context = std::make_shared<Context>(std::move(owned), plan);
  NNRT_ASSIGN(context->pipelines_, PipelineCache::create(*context));
  return context;
}

Context::Context(UniqueDevice device, const DevicePlan& plan) : device_(std::move(device)), plan_(plan) {
  for (uint32_t i = 0; i < plan_.queue.priorities.size(); ++i) {
    vkGetDeviceQueue(device_.get(), plan_.queue.family, i, &queues_.emplace_back().queue);
  }
  if (plan_.host.imports) {
    host_pointer_properties_ = reinterpret_cast<PFN_vkGetMemoryHostPointerPropertiesEXT>(
        vkGetDeviceProcAddr(device_.get(), "vkGetMemoryHostPointerPropertiesEXT"));
  }
  if (plan_.queue.clock.calibrated) {
    calibrated_timestamps_ = reinterpret_cast<PFN_vkGetCalibratedTimestampsEXT>(
        vkGetDeviceProcAddr(device_.get(), "vkGetCalibratedTimestampsEXT"));
  }
}

Context::~Context() = default;

uint32_t Context::queue_of(uint32_t level) {
  return level * plan_.queue.per_level + turn_++ % plan_.queue.per_level;
}

Status Context::submit(VkCommandBuffer commands, VkSemaphore semaphore, uint64_t value, uint32_t queue) {
  VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  timeline.signalSemaphoreValueCount = 1;
  timeline.pSignalSemaphoreValues = &value;
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, &timeline};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &semaphore;
  Queue& chosen = queues_[queue];
  const std::lock_guard lock(chosen.mutex);
  if (lost()) return vulkan_error(VK_ERROR_DEVICE_LOST, "vkQueueSubmit");
  return check(vkQueueSubmit(chosen.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
}

Result<bool> Context::spin(VkSemaphore semaphore, uint64_t value, Deadline deadline) const {
  if (plan_.queue.spin_us <= 0) return false;
  const std::chrono::duration<double, std::micro> limit(plan_.queue.spin_us);
  const auto begin = Clock::now();
  do {
    uint64_t reached = 0;
    NNRT_TRY(
        check(vkGetSemaphoreCounterValue(device_.get(), semaphore, &reached), "vkGetSemaphoreCounterValue"));
    if (reached >= value) return true;
  } while (!lost() && Clock::now() - begin < limit && nanoseconds_left(deadline) > 0);
  return false;
}

Status Context::wait(VkSemaphore semaphore, uint64_t value, Deadline deadline) const {
  // Ignore errors of the spin; the wait below handles them.
  if (const Result<bool> reached = spin(semaphore, value, deadline); reached.ok() && reached.value())
    return {};
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  for (int failures = 0; !lost() && failures < kMaxFailedWaits;) {
    const VkResult result =
        vkWaitSemaphores(device_.get(), &info, std::min(nanoseconds_left(deadline), kLongestWait));
    if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST) return check(result, "vkWaitSemaphores");
    if (result != VK_TIMEOUT) {
      // The work continues, and what it uses cannot be released.
      ++failures;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else if (deadline && Clock::now() >= *deadline) {
      return check(result, "vkWaitSemaphores");
    }
  }
  return check(VK_ERROR_DEVICE_LOST, "vkWaitSemaphores");
}

std::optional<Calibration> Context::calibrate() const {
  if (calibrated_timestamps_ == nullptr) return std::nullopt;
  std::array<VkCalibratedTimestampInfoEXT, 2> domains{};
  for (VkCalibratedTimestampInfoEXT& domain : domains) {
    domain.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
  }
  domains[0].timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
  domains[1].timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
  std::array<uint64_t, 2> moment{};
  uint64_t deviation = 0;
  if (calibrated_timestamps_(device_.get(), 2, domains.data(), moment.data(), &deviation) != VK_SUCCESS) {
    return std::nullopt;
  }
  return Calibration{moment[0], Clock::time_point(std::chrono::nanoseconds(moment[1]))};
}

Status Context::check(VkResult result, std::string_view call) const {
  if (result == VK_ERROR_DEVICE_LOST) lost_ = true;
  return vulkan::check(result, call);
}

}  // namespace nnrt::vulkan
