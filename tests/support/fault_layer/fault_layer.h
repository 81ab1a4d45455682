// A Vulkan layer that makes calls fail on demand and counts objects not destroyed. The Vulkan loader loads it
// as VK_LAYER_NNRT_fault; tests control it from the same process, which links it.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::fault {

// Returns whether the layer intercepts calls of this name; all that return VkResult must be.
bool knows(std::string_view name);

// Clears planned faults and restarts counting calls at 0.
void reset();
// Names of the calls since then that return VkResult, in order.
std::vector<std::string> calls();

// Fails the call with this number before it reaches the driver. After VK_ERROR_DEVICE_LOST the VkDevice stays
// lost, like a physical one: its work stops, and calls that can report the loss fail.
void fail_call(size_t number, VkResult result);
// All calls of this name, until reset().
void fail_every(std::string_view name, VkResult result);
// All existing VkDevices.
void lose_devices();

// Objects created but not destroyed, by kind ("Device", "Buffer", "Memory"); kinds with none are omitted.
std::map<std::string, int64_t> live();

}  // namespace nnrt::fault
