// A VkDevice in use: its queues, its pipelines, and whether it is lost. Everything created on the device
// holds it.
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

// The device's timestamp counter and the host's clock at the same moment.
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
  Context(UniqueDevice device, const DevicePlan& plan);  // use create()
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  VkDevice device() const { return device_.get(); }
  const DevicePlan& plan() const { return plan_; }
  PipelineCache& pipelines() const { return *pipelines_; }
  PFN_vkGetMemoryHostPointerPropertiesEXT host_pointer_properties() const { return host_pointer_properties_; }

  // nullopt if the device does not support it.
  std::optional<Calibration> calibrate() const;

  // Never reset: everything created on this device is unusable from then on.
  bool lost() const { return lost_; }
  // Like vulkan::check(), but also marks the device as lost if `result` says so. For every call on the
  // device.
  Status check(VkResult result, std::string_view call) const;

  // A queue of that priority, round-robin.
  uint32_t queue_of(uint32_t level);
  // Signals the timeline `semaphore` with `value` when the commands are done. `queue` is an index into the
  // plan's queues.
  Status submit(VkCommandBuffer commands, VkSemaphore semaphore, uint64_t value, uint32_t queue = 0);
  // Code::timeout if the deadline passes first. Any other failure means that the device is lost and uses
  // nothing any more.
  Status wait(VkSemaphore semaphore, uint64_t value, Deadline deadline) const;

 private:
  // Polls until the semaphore reaches the value, or until the plan's spin time or the deadline is over.
  // Returns whether it did.
  Result<bool> spin(VkSemaphore semaphore, uint64_t value, Deadline deadline) const;

  struct Queue {
    VkQueue queue = VK_NULL_HANDLE;
    std::mutex mutex;
  };

  const UniqueDevice device_;  // destroyed last
  const DevicePlan plan_;
  std::deque<Queue> queues_;
  std::atomic<uint32_t> turn_{0};  // of queue_of()
  mutable std::atomic<bool> lost_{false};
  PFN_vkGetMemoryHostPointerPropertiesEXT host_pointer_properties_ = nullptr;
  PFN_vkGetCalibratedTimestampsEXT calibrated_timestamps_ = nullptr;
  std::unique_ptr<PipelineCache> pipelines_;
};

using ContextPtr = std::shared_ptr<Context>;

// For objects with a creation call of this form: make(context, vkCreateSemaphore, info, semaphore).
template <typename Handle, auto kDestroy, typename Create, typename Info>
Status make(const Context& context, Create create, const Info& info, Unique<Handle, kDestroy>& object,
            std::string_view call) {
  Handle handle = VK_NULL_HANDLE;
  NNRT_TRY(context.check(create(context.device(), &info, nullptr, &handle), call));
  object = Unique<Handle, kDestroy>(context.device(), handle);
  return {};
}

}  // namespace nnrt::vulkan
