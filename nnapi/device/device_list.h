// The devices as clients of NNAPI see them: those of the core that run nodes
// themselves, the CPU last and under the name by which clients know it.
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

// The list of the process. Made once, and never destroyed.
const DeviceList& all_devices();
DeviceList list_devices(const DeviceRegistry& registry);

// Checks what a client passes: devices of the list, none twice. Gives the core's, in the order of the list.
Outcome chosen_devices(const ANeuralNetworksDevice* const* given, uint32_t count,
                       std::vector<Device*>& devices);

}  // namespace nnrt::nnapi
