// The outputs of an invocation that slides a window over an image, as depthwise_rows.comp and pool_rows.comp
// do.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "core/base/result.h"
#include "core/passes/kernel_choice.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

struct StripWork {
  uint32_t images = 0;
  Size2 out{};         // height and width of an image
  uint32_t parts = 0;  // invocations that share the channels of a pixel
  uint32_t pixels_of_tall = 4;
};

// `pixels` neighbours of each of `rows` rows.
struct OutputStrip {
  uint32_t pixels = 1, rows = 1;
  bool one_row = true;  // the shader is compiled for a single row

  // Strips side by side in an image.
  uint32_t columns(const StripWork& work) const { return (work.out[1] + pixels - 1) / pixels; }
};

// High and wide strips read an element few times and wait for one row of the input after the other; low and
// narrow ones give every processor its share.
// Code::unsupported where NNRT_VULKAN_KERNELS forbids all.
Result<OutputStrip> output_strip_for(const StripWork& work, const DevicePlan& plan, KernelLog* log);
std::vector<std::string_view> output_strip_names();

}  // namespace nnrt::vulkan
