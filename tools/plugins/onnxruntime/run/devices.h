// The runtime's devices.
#pragma once

#include "core/base/result.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <map>
#include <string>
#include <vector>

namespace nnrt::ep {

struct Device {
  size_t id = 0;
  std::string name;
  OH_NN_DeviceType type = OH_NN_OTHERS;
  std::map<std::string, std::string> facts;  // of its description

  bool is_auto() const { return type == OH_NN_OTHERS; }
  // Whether a driver computes on the CPU.
  bool is_software() const;
};

Result<std::vector<Device>> list_devices();

// By type, name, or a part of the name; "auto" is the scheduler over all devices, or the only device.
Result<Device> find_device(const std::vector<Device>& devices, const std::string& wanted);

// The members of a flat JSON object, as text.
std::map<std::string, std::string> facts_of(const std::string& json);

}  // namespace nnrt::ep
