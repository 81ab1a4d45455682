// Selects a device of the runtime by an option's text.
#pragma once

#include "core/base/result.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <string>
#include <vector>

namespace nnrt::plugins {

struct PluginDevice {
  size_t id = 0;
  std::string name;
  OH_NN_DeviceType type = OH_NN_OTHERS;

  // Whether it places the parts of a model on other devices.
  bool is_auto() const;
};

Result<std::vector<PluginDevice>> list_devices();

// By type ("gpu", "cpu", "accelerator"), id, name or part of a name. "auto": the device that places models
// itself, or the first device if that is not offered.
Result<PluginDevice> find_device(const std::string& wanted);

}  // namespace nnrt::plugins
