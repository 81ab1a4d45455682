// Vulkan drivers, whether or not they work, and the GPUs that need them.
#pragma once

#include <nlohmann/json.hpp>

namespace nnrt::tool {

// [{"file", "devices": [...], "problem"}]: the manifests that the Vulkan loader finds, with the devices that
// each offers when it is the only driver, as `nnrt devices --json` lists them, and why it offers none.
// The parent must not have called the library yet.
nlohmann::ordered_json describe_drivers();

// [{"pci", "vendor", "problem"}]: this machine's GPUs. The problem is that no device of their vendor is among
// the devices of `drivers`, with what may help.
nlohmann::ordered_json describe_gpus(const nlohmann::ordered_json& drivers);

}  // namespace nnrt::tool
