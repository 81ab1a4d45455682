// A VkDevice in use: its queue, its pipelines and whether it is lost. Everything made on the device holds it.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/device/vk_handle.h"
#include "core/device/device.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

namespace nnrt::vulkan {

class PipelineCache;

// The device's timestamp counter and the host's clock at one moment.
struct Calibration {
  uint64_t ticks = 0;
  Clock::time_point host;
};

struct DeviceCloser {
  void operator()(VkDevice device) const { vkDestroyDevice(device, nullptr); }
};
using UniqueDevice = std::unique_ptr<VkDevice_T, DeviceCloser>;

class Context {
 public:
  static Result<std::shared_ptr<Context>> create(VkPhysicalDevice physical, const DevicePlan& plan);
  Context(UniqueDevice device, const DevicePlan& plan);  // for create()
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  VkDevice device() const { return device_.get(); }
  const DevicePlan& plan() const { return plan_; }
  // Another VkDevice of the same GPU, made at first use: what its queue does goes on beside this one's. One
  // is lost with the other.
  Result<std::shared_ptr<Context>> another();
  PipelineCache& pipelines() const { return *pipelines_; }
  PFN_vkGetMemoryHostPointerPropertiesEXT host_pointer_properties() const { return host_pointer_properties_; }

  // Nothing where the device does not offer it.
  std::optional<Calibration> calibrate() const;

  // Once set, for ever: what was made on this device is of no use any more.
  bool lost() const { return *lost_; }
  // As vulkan::check(), and the device counts as lost where `result` says so: for every call on the device.
  Status check(VkResult result, std::string_view call) const;

  // One of the queues of that priority, by turns.
  uint32_t queue_of(uint32_t level);
  // When the commands are done, `semaphore` (a timeline) has the value. `queue` is one of the plan's.
  Status submit(VkCommandBuffer commands, VkSemaphore semaphore, uint64_t value, uint32_t queue = 0);
  // Code::timeout where the deadline comes first. Any other failure means that the device is lost and nothing
  // is in use any more.
  Status wait(VkSemaphore semaphore, uint64_t value, Deadline deadline) const;

 private:
  // Asks without sleeping until the semaphore has the value, or the plan's time for that or the deadline is
  // over. Returns whether it has.
  Result<bool> spin(VkSemaphore semaphore, uint64_t value, Deadline deadline) const;

  struct Queue {
    VkQueue queue = VK_NULL_HANDLE;
    std::mutex mutex;
  };

  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  const UniqueDevice device_;  // goes last
  const DevicePlan plan_;
  std::mutex another_mutex_;
  std::shared_ptr<Context> another_;
  std::deque<Queue> queues_;
  std::atomic<uint32_t> turn_{0};  // for queue_of()
  std::shared_ptr<std::atomic<bool>> lost_ = std::make_shared<std::atomic<bool>>(false);
  PFN_vkGetMemoryHostPointerPropertiesEXT host_pointer_properties_ = nullptr;
  PFN_vkGetCalibratedTimestampsEXT calibrated_timestamps_ = nullptr;
  std::unique_ptr<PipelineCache> pipelines_;
};

using ContextPtr = std::shared_ptr<Context>;

// make(context, vkCreateSemaphore, info, semaphore): any object whose creation is a call of that form.
template <typename Handle, auto kDestroy, typename Create, typename Info>
Status make(const Context& context, Create create, const Info& info, Unique<Handle, kDestroy>& object,
            std::string_view call) {
  Handle handle = VK_NULL_HANDLE;
  NNRT_TRY(context.check(create(context.device(), &info, nullptr, &handle), call));
  object = Unique<Handle, kDestroy>(context.device(), handle);
  return {};
}

}  // namespace nnrt::vulkan
