// Optional device features beyond 32-bit words and float: decides from the snapshot which ones to use, with a
// reason for each that is not. Pure. (GEMM paths are chosen per shape: kernel_list.h.)
#pragma once

#include "backends/vulkan/device/device_snapshot.h"
#include "core/device/device.h"

#include <span>
#include <string_view>

namespace nnrt::vulkan {

struct DevicePlan;

struct DeviceFeature {
  std::string_view name;  // for NNRT_VULKAN_KERNELS
  bool is_property;       // shown by `nnrt devices`
  // Why the device cannot use the feature, and why it would not gain by it.
  Refusal (*cannot)(const Snapshot&);
  Refusal (*should_not)(const Snapshot&);
  void (*use)(const Snapshot&, DevicePlan&);
  bool (*is_used)(const DevicePlan&);
};

std::span<const DeviceFeature> device_features();

// Uses what the device supports and gains by; a feature that the plan forces, whenever the device supports
// it.
void use_device_features(const Snapshot& snapshot, DevicePlan& plan);

// Returns why the feature is off unless forced.
Refusal refusal_of(const DeviceFeature& feature, const Snapshot& snapshot);

}  // namespace nnrt::vulkan
