// Moves the visibility of shared memory from single accesses to barriers. Under the Vulkan memory model,
// which cooperative matrices need, glslang marks every access to shared memory as MakePointerAvailable or
// MakePointerVisible, and drivers wait after each of them. The shaders here only communicate across barriers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// Removes the marks of workgroup scope from loads and stores, and adds MakeAvailable and MakeVisible to the
// barriers. nullopt if the words are malformed, or if a barrier's semantics are not a constant.
std::optional<std::vector<uint32_t>> with_barrier_visibility(std::span<const uint32_t> words);

}  // namespace nnrt::vulkan
