// A GPU (or a software Vulkan driver) as a device of the runtime.
#pragma once

#include "backends/vulkan/pipeline/vk_context.h"
#include "backends/vulkan/tuning/tile_tuner.h"
#include "core/device/cache_traits.h"
#include "core/device/device.h"
#include "core/device/run_gate.h"

#include <memory>
#include <mutex>
#include <string>

namespace nnrt::vulkan {

class VulkanDevice final : public Device, public DeferredReader {
 public:
  // `name` is the plan's name made unique.
  VulkanDevice(VkPhysicalDevice physical, DevicePlan plan, std::string name,
               std::vector<DeviceProperty> properties);

  const DeviceInfo& info() const override { return info_; }
  Result<DeviceType> type() const override { return DeviceType::gpu; }
  // Also after a device loss: prepare() recovers if the driver does.
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
  // The VkDevice. Created at first use, because few processes use all GPUs, and again after a loss; models
  // prepared on the lost device stay lost.
  Result<ContextPtr> context();

 private:
  const VkPhysicalDevice physical_;
  const DevicePlan plan_;
  DeviceInfo info_;
  const std::vector<DeviceProperty> device_info_;
  RunGate gate_;  // prepares one run more than the queues execute at once
  const std::shared_ptr<TileTuner> tuner_;
  mutable std::mutex mutex_;
  ContextPtr context_;
};

}  // namespace nnrt::vulkan
