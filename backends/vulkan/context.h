// A VkDevice in use: its queue, its pipelines and whether it is lost. Everything made on the device holds it.
#pragma once

#include "backends/vulkan/device_plan.h"
#include "backends/vulkan/vk.h"
#include "core/device.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace nnrt::vulkan {

class PipelineCache;

class Context {
 public:
  static Result<std::shared_ptr<Context>> create(VkPhysicalDevice physical, const DevicePlan& plan);
  Context(VkDevice device, const DevicePlan& plan);  // takes the device over; for create()
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  VkDevice device() const { return device_; }
  const DevicePlan& plan() const { return plan_; }
  PipelineCache& pipelines() const { return *pipelines_; }
  PFN_vkGetMemoryHostPointerPropertiesEXT host_pointer_properties() const { return host_pointer_properties_; }

  // Once set, for ever.
  bool lost() const { return lost_; }

  // When the commands are done, `semaphore` (a timeline) has the value.
  Status submit(VkCommandBuffer commands, VkSemaphore semaphore, uint64_t value);
  // Code::timeout where the deadline comes first.
  Status wait(VkSemaphore semaphore, uint64_t value, Deadline deadline);

 private:
  Status check_lost(VkResult result, std::string_view call);

  const VkDevice device_;
  const DevicePlan plan_;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::mutex queue_mutex_;
  std::atomic<bool> lost_{false};
  PFN_vkGetMemoryHostPointerPropertiesEXT host_pointer_properties_ = nullptr;
  std::unique_ptr<PipelineCache> pipelines_;
};

using ContextPtr = std::shared_ptr<Context>;

}  // namespace nnrt::vulkan
