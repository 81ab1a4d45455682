// Features of some devices beyond 32-bit words and float: snapshot -> those that are used, with a reason for
// each other. Pure. (GEMM paths are chosen shape by shape: kernel_list.h.)
#pragma once

#include "backends/vulkan/device/device_snapshot.h"
#include "core/device/device.h"

#include <span>
#include <string_view>

namespace nnrt::vulkan {

struct DevicePlan;

struct DeviceFeature {
  std::string_view name;  // for NNRT_VULKAN_KERNELS
  bool is_property;       // nnrt devices shows it
  // They return why the device cannot, and why it would not gain by it.
  Refusal (*cannot)(const Snapshot&);
  Refusal (*should_not)(const Snapshot&);
  void (*use)(const Snapshot&, DevicePlan&);
  bool (*is_used)(const DevicePlan&);
};

std::span<const DeviceFeature> device_features();

// Uses what the device can and should; what is forced in the plan, wherever it can.
void use_device_features(const Snapshot& snapshot, DevicePlan& plan);

// Returns why the feature is not used unless it is forced.
Refusal refusal_of(const DeviceFeature& feature, const Snapshot& snapshot);

}  // namespace nnrt::vulkan
