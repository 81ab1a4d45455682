// Helpers that the lowerings of all families share.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/common/lowering_families.h"
#include "core/schema/node_view.h"

#include <string_view>

namespace nnrt::vulkan {

// The embedded shader "<kernel>_<dtype>", or empty if that dtype has no variant.
std::string_view variant(std::string_view kernel, DType dtype);

// The embedded shader's name with static lifetime; empty if there is none.
std::string_view embedded_name(std::string_view shader);

// "FLOAT64 is not computed on the GPU."
Refusal not_computed(DType dtype);
// Refuses the dtype unless "<kernel>_<dtype>" exists.
Refusal refuse_dtype(std::string_view kernel, DType dtype);

// The element count as shaders see it; an error above 2^31 - 1.
Result<uint32_t> count_of(const Shape& shape);
constexpr uint32_t words_of(DType dtype, uint32_t count) {
  return uint32_t((uint64_t(count) * size_of(dtype) + 3) / 4);
}
constexpr uint32_t vectors_of(DType dtype, uint32_t count) { return (words_of(dtype, count) + 3) / 4; }

// A grid with one invocation per output word (or vector), for global_word() of words.glsl; x overflows into
// y.
inline constexpr uint32_t kGroup = 64;
Size3 threads_for(uint32_t words, const DevicePlan& plan, uint32_t group = kGroup);

// For long-running invocations, of which there are few: smaller groups keep all cores busy.
constexpr uint32_t group_of_long(const DevicePlan& plan) { return plan.is_software ? 16 : kGroup; }

// A strided walk in which each invocation takes several rows of the outermost dimension, `step` apart. On CPU
// drivers an invocation costs as much as several vectors.
struct Walk {
  uint32_t step = 0;
  uint32_t count = 0;  // invocations
};
Walk walk_of(const Shape& shape, const DevicePlan& plan);

// The texel-reading variant of the shader, if it exists, is faster, and views cover any tensor. (A device
// with short views would need both variants.)
std::string_view by_texels(std::string_view shader, const DevicePlan& plan);

inline constexpr size_t kMaxDims = 8;
using Dims8 = std::array<uint32_t, kMaxDims>;
using Strides8 = std::array<int32_t, kMaxDims>;
Dims8 dims8(const Shape& shape);
Strides8 strides8(const Strides& strides);

// The scale for quantize() of float_math.glsl: negative if ties go to even.
float rounding_scale(const Quant& quant, size_t channel = 0);

// The fused activation for activation_limits.glsl; 0 if the operator has none.
uint32_t activation_of(const NodeView& node);

}  // namespace nnrt::vulkan
