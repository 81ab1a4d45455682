// The ways in which products and convolutions can be computed, from the one to be tried first to the last.
#pragma once

#include "backends/vulkan/device_plan.h"
#include "core/device.h"

#include <optional>
#include <span>
#include <string_view>

namespace nnrt::vulkan {

// What of a product or convolution decides how it can be computed.
struct Work {
  // The least of each operand that one dispatch must see at a time, and whether that can be less than all.
  uint64_t left_texels = 0, right_texels = 0;
  // Texels of all of the larger operand, where there is a kernel for eight invocations together.
  std::optional<uint64_t> together = {};
};

enum class PathId : uint8_t { octets, formatted, shared, registers };

inline constexpr uint32_t kOctet = 8;

// Invocations of a group of the kernels that go by way of shared memory.
inline constexpr uint32_t kSharedGroup = 256;

struct Path {
  PathId id{};
  std::string_view name;  // for NNRT_VULKAN_PATH
  // Why the device or the shape does not allow it, and why it would not be the fastest there.
  Refusal (*cannot)(const Work&, const DevicePlan&);
  Refusal (*should_not)(const DevicePlan&);
};

// The last one is always possible.
std::span<const Path> paths();

// The first that can and should; where DevicePlan::path names one that can, that.
PathId choose_path(const Work& work, const DevicePlan& plan);

}  // namespace nnrt::vulkan
