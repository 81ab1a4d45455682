// Options of the execution provider, as the framework's user gives them.
#pragma once

#include "core/base/result.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <map>
#include <string>

namespace nnrt::ep {

struct Options {
  std::string device;     // "auto", a type, or a name
  bool fallback = false;  // nodes that the device declines run on this runtime's CPU device
  bool float16 = false;
  std::string cache;  // a folder
  OH_NN_Priority priority = OH_NN_PRIORITY_NONE;
  OH_NN_PerformanceMode performance = OH_NN_PERFORMANCE_NONE;
  std::string placement;  // a file
};

// Fails for unknown names and invalid values, and says which are valid.
Result<Options> read_options(const std::map<std::string, std::string>& given);

// The names: "device, fallback, ...".
std::string options_help();

}  // namespace nnrt::ep
