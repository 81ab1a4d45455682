// Helpers that the lowerings of all families share.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/common/lowering_families.h"
#include "core/schema/node_view.h"

#include <string_view>

namespace nnrt::vulkan {

// The embedded shader "<kernel>_<dtype>", or empty where there is none: not every kernel computes every
// dtype.
std::string_view variant(std::string_view kernel, DType dtype);

// The embedded shader's name, which lasts; empty where there is none.
std::string_view embedded_name(std::string_view shader);

// "FLOAT64 is not computed on the GPU."
Refusal not_computed(DType dtype);
// Unless "<kernel>_<dtype>" exists.
Refusal refuse_dtype(std::string_view kernel, DType dtype);

// Elements as shaders count them; an error beyond 2^31 - 1.
Result<uint32_t> count_of(const Shape& shape);
constexpr uint32_t words_of(DType dtype, uint32_t count) {
  return uint32_t((uint64_t(count) * size_of(dtype) + 3) / 4);
}

constexpr uint32_t divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

constexpr uint32_t vectors_of(DType dtype, uint32_t count) { return (words_of(dtype, count) + 3) / 4; }

// A grid of one invocation for each output word (or vector), as global_word() of words.glsl reads it: what
// does not fit in x spills into y.
inline constexpr uint32_t kGroup = 64;
Size3 threads_for(uint32_t words, const DevicePlan& plan, uint32_t group = kGroup);

// For long invocations: few of them must keep all processors busy.
constexpr uint32_t group_of_long(const DevicePlan& plan) { return plan.is_software ? 16 : kGroup; }

// A walk of which an invocation takes several rows of the outermost dimension, `step` of them apart: on
// processors an invocation costs as much as some vectors.
struct Walk {
  uint32_t step = 0;
  uint32_t count = 0;  // invocations
};
Walk walk_of(const Shape& shape, const DevicePlan& plan);

// The shader's variant that reads texels, where there is one, such reads are faster and any tensor can be so
// read: a device with short views would need both variants.
std::string_view by_texels(std::string_view shader, const DevicePlan& plan);

// Collapsed shapes and strides as push constants hold them.
inline constexpr size_t kMaxDims = 8;
using Dims8 = std::array<uint32_t, kMaxDims>;
using Strides8 = std::array<int32_t, kMaxDims>;
Dims8 dims8(const Shape& shape);
Strides8 strides8(const Strides& strides);

// The scale as quantize() of float_math.glsl takes it: negative where ties go to even.
float rounding_scale(const Quant& quant, size_t channel = 0);

// The fused activation as activation_limits.glsl takes it; 0 for operators without one.
uint32_t activation_of(const NodeView& node);

}  // namespace nnrt::vulkan
