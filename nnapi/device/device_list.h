// The devices as seen by NNAPI clients: those that run nodes themselves, the CPU last with its conventional
// name.
#pragma once

#include "core/device/device_registry.h"
#include "nnapi/base/outcome.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct ANeuralNetworksDevice {
  nnrt::Device* device = nullptr;
  std::string name, version;
  int32_t type = ANEURALNETWORKS_DEVICE_UNKNOWN;
};

namespace nnrt::nnapi {

using DeviceList = std::vector<std::unique_ptr<const ANeuralNetworksDevice>>;

// The process-wide list. Never destroyed.
const DeviceList& all_devices();
DeviceList list_devices(const DeviceRegistry& registry);

// Checks that the client's devices are in the list, without duplicates, and returns them in list order.
Outcome chosen_devices(const ANeuralNetworksDevice* const* given, uint32_t count,
                       std::vector<Device*>& devices);

}  // namespace nnrt::nnapi
