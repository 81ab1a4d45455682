#include "backends/vulkan/lower/common/lowering_common.h"

#include "backends/vulkan/lower/common/texel_views.h"
#include "backends/vulkan/lower/common/tile_kinds.h"
#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "core/graph/activation.h"

#include <algorithm>
#include <limits>

namespace nnrt::vulkan {
namespace {

std::string_view suffix(DType dtype) {
  constexpr std::string_view kSuffixes[kDTypeCount] = {"",    "bool", "i8",  "i16", "i32", "i64", "u8",
                                                       "u16", "u32",  "u64", "f16", "f32", "f64"};
  return kSuffixes[size_t(dtype)];
}

}  // namespace

std::string_view variant(std::string_view kernel, DType dtype) {
  return embedded_name(std::string(kernel).append("_").append(suffix(dtype)));
}

std::string_view embedded_name(std::string_view shader) {
  const EmbeddedShader* const found = find_shader(shader);
  return found == nullptr ? std::string_view() : found->name;
}

Refusal not_computed(DType dtype) { return std::string(name(dtype)) + " is not computed on the GPU."; }

Refusal refuse_dtype(std::string_view kernel, DType dtype) {
  return variant(kernel, dtype).empty() ? not_computed(dtype) : std::nullopt;
}

Result<uint32_t> count_of(const Shape& shape) {
  const auto count = element_count(shape);
  if (!count || *count > std::numeric_limits<int32_t>::max()) {
    return Error{Code::unsupported, "Shape " + to_string(shape) +
                                        " has more elements than a GPU kernel can index (2147483647)."};
  }
  return uint32_t(*count);
}

Size3 threads_for(uint32_t words, const DevicePlan& plan, uint32_t group) {
  const uint32_t groups = std::max(1u, divide_up(words, group));
  const uint32_t max_groups = std::max(1u, plan.max_group_count[0]);
  if (groups <= max_groups) return {words, 1, 1};
  return {max_groups * group, divide_up(groups, max_groups), 1};
}

Walk walk_of(const Shape& shape, const DevicePlan& plan) {
  constexpr uint32_t kMaxPasses = 8, kMinInvocations = 512;
  const auto rows = uint32_t(shape[0]);
  const auto inner = uint32_t(product(shape, 1, shape.size()));
  uint32_t passes = 1;
  if (plan.is_software) passes = std::clamp(rows * inner / kMinInvocations, 1u, kMaxPasses);
  const uint32_t step = std::max(1u, divide_up(rows, passes));
  return {step, step * inner};
}

std::string_view by_texels(std::string_view shader, const DevicePlan& plan) {
  const bool shows_all = plan.max_texels >= plan.max_storage_range / kTexelBytes;
  if (!shows_all || !reads_texels(true, 0, plan)) return shader;
  const std::string_view other = embedded_name(std::string(shader).append("_texels"));
  return other.empty() ? shader : other;
}

Dims8 dims8(const Shape& shape) {
  Dims8 dims{};
  for (size_t i = 0; i < shape.size(); ++i) dims[i] = uint32_t(shape[i]);
  return dims;
}

Strides8 strides8(const Strides& strides) {
  Strides8 result{};
  for (size_t i = 0; i < strides.size(); ++i) result[i] = int32_t(strides[i]);
  return result;
}

uint32_t activation_of(const NodeView& node) { return uint32_t(nnrt::activation_of(node.attrs())); }

float rounding_scale(const Quant& quant, size_t channel) {
  const auto scale = float(quant.scales[channel]);
  return quant.ties_to_even ? -scale : scale;
}

}  // namespace nnrt::vulkan
