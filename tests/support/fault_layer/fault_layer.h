// A Vulkan layer that makes calls fail as a test says, and counts what was made and not destroyed. It is
// loaded by the Vulkan loader as VK_LAYER_NNRT_fault and controlled from the same process, which links it.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::fault {

// Returns whether calls of this name pass the layer: all that return a VkResult must.
bool knows(std::string_view name);

// No faults are planned any more, and calls are counted from 0.
void reset();
// The names of the calls since then that return a VkResult, in order.
std::vector<std::string> calls();

// The call with this number does not reach the driver. After VK_ERROR_DEVICE_LOST its VkDevice stays lost, as
// a physical one does: its work stops, and calls that may report so fail from then on.
void fail_call(size_t number, VkResult result);
// All calls of this name, until reset().
void fail_every(std::string_view name, VkResult result);
// Every VkDevice that there is.
void lose_devices();

// Counts objects created and not destroyed by kind ("Device", "Buffer", "Memory"); no kinds without any.
std::map<std::string, int64_t> live();

}  // namespace nnrt::fault
