// What some devices do beyond 32-bit words and float: snapshot -> what of it is used, with a reason for what
// is not. Pure. (How products and convolutions are computed is chosen shape by shape: lower/paths.h.)
#pragma once

#include "backends/vulkan/snapshot.h"
#include "core/device.h"

#include <span>
#include <string_view>

namespace nnrt::vulkan {

struct DevicePlan;

struct Hardware {
  std::string_view name;  // for NNRT_VULKAN_HARDWARE
  std::string_view fact;  // for nnrt devices
  // Why the device cannot, and why it would not gain by it.
  Refusal (*cannot)(const Snapshot&);
  Refusal (*should_not)(const Snapshot&);
  void (*use)(const Snapshot&, DevicePlan&);
  bool (*is_used)(const DevicePlan&);
};

std::span<const Hardware> hardware();

// Uses what the device can and should. With `forced` it uses what of that can be, whether it should or not:
// names with commas between them, or "none".
void use_hardware(const Snapshot& snapshot, std::string_view forced, DevicePlan& plan);

// Why it is not used where that is not forced.
Refusal refusal_of(const Hardware& hardware, const Snapshot& snapshot);

}  // namespace nnrt::vulkan
