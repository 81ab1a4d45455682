// Strips: the outputs that one invocation computes while it slides a window over the image
// (depthwise_rows.comp, pool_rows.comp).
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
  Size2 out{};         // height and width
  uint32_t parts = 0;  // invocations per pixel, each with some of the channels
  uint32_t pixels_of_tall = 4;
  uint32_t registers_of_tall = 0;  // per invocation, as RADV compiles it; 0: few
  uint32_t kernel = 1, stride = 1;
  bool has_weights = false;

  // Registers that a strip of one row needs at least: sums, a row of inputs and one of weights as vec4, and
  // addresses.
  uint32_t registers_of_row(uint32_t pixels) const {
    constexpr uint32_t kAddresses = 12;
    return 4 * (pixels + (pixels - 1) * stride + kernel + (has_weights ? kernel : 0)) + kAddresses;
  }
};

// `rows` rows of `pixels` adjacent pixels.
struct OutputStrip {
  uint32_t pixels = 1, rows = 1;
  bool one_row = true;  // selects the shader variant for a single row

  // Strips per image row.
  uint32_t columns(const StripWork& work) const { return divide_up(work.out[1], pixels); }
};

// Large strips reuse each input element more often, but load the input rows one after the other; small strips
// give every core work. Code::unsupported if NNRT_VULKAN_KERNELS forbids all.
Result<OutputStrip> output_strip_for(const StripWork& work, const DevicePlan& plan, KernelLog* log);
std::vector<std::string_view> output_strip_names();

}  // namespace nnrt::vulkan
