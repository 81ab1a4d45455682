// A GPU (or a driver that stands in for one) as a device of the runtime.
#pragma once

#include "backends/vulkan/pipeline/vk_context.h"
#include "backends/vulkan/tuning/tile_tuner.h"
#include "core/device/device.h"
#include "core/device/run_gate.h"

#include <memory>
#include <mutex>
#include <string>

namespace nnrt::vulkan {

class VulkanDevice final : public Device {
 public:
  // Carries the plan out; `name` is the plan's, made unique.
  VulkanDevice(VkPhysicalDevice physical, DevicePlan plan, std::string name,
               std::vector<DeviceProperty> properties);

  const DeviceInfo& info() const override { return info_; }
  Result<DeviceType> type() const override { return DeviceType::gpu; }
  // Also after a loss, from which prepare() comes back if the driver does.
  DeviceStatus status() const override { return DeviceStatus::available; }
  std::vector<DeviceProperty> properties() const override { return device_info_; }
  Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions& options) const override;
  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override;
  std::string cache_key() const override;
  Result<std::unique_ptr<PreparedModel>> restore(GraphPtr graph, const CompileOptions& options,
                                                 const SharedBytes& cached) override;

  uint64_t max_tensor_bytes() const override { return plan_.max_storage_range; }
  RunGate* gate() override { return &gate_; }
  DeviceCosts costs() const override { return plan_.costs; }

  const DevicePlan& plan() const { return plan_; }
  // The VkDevice. Made at first use, for a process seldom uses all GPUs of its machine, and again after it
  // was lost: what was prepared before stays with the lost one.
  Result<ContextPtr> context();

 private:
  const VkPhysicalDevice physical_;
  const DevicePlan plan_;
  DeviceInfo info_;
  const std::vector<DeviceProperty> device_info_;
  RunGate gate_;  // one run is made ready while the device computes those that its queues take
  const std::shared_ptr<TileTuner> tuner_;
  mutable std::mutex mutex_;
  ContextPtr context_;
};

}  // namespace nnrt::vulkan
