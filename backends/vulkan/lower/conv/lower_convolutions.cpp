#include "backends/vulkan/lower/conv/lower_convolutions.h"

#include "backends/vulkan/lower/common/lowering_families.h"
#include "backends/vulkan/lower/int8/int8_kernels.h"
#include "core/base/fp16.h"
#include "core/memory/deferred_bytes.h"
#include "core/passes/winograd_range.h"

#include <algorithm>
#include <cmath>

namespace nnrt::vulkan {
namespace {

template <typename T>
std::span<const T> constant_of(const NodeView& node, size_t input) {
  if (!node.input(input).is_constant()) return {};
  const ByteView bytes = *node.input(input).data;  // null if the data were dropped
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

bool has_finite_weights(const NodeView& node) {
  // A restored model has weights in its cache that passed this check when they were packed.
  if (is_deferred(node.input(1).data)) return true;
  switch (node.dtype(1)) {
    case DType::f32: return std::isfinite(max_magnitude(constant_of<float>(node, 1)));
    case DType::f16:
      return std::ranges::all_of(constant_of<Half>(node, 1),
                                 [](Half weight) { return (weight.bits & 0x7c00) != 0x7c00; });
    default: return true;
  }
}

// Kernels multiply padding zeros by the weights, so infinite weights would give NaN: refuse them. `kRefuse`
// adds the operator's own checks.
template <Refusal (*kRefuse)(const NodeView&, const DevicePlan&)>
Refusal refuse_convolution(const NodeView& node, const DevicePlan& plan) {
  if (Refusal why = kRefuse(node, plan)) return why;
  if (has_finite_weights(node)) return {};
  return "Weights are infinite or NaN; only the CPU keeps them separate from the padding.";
}

constexpr LoweringRow kConvolutionLowerings[] = {
    {Op::conv2d, {refuse_convolution<refuse_product>, by_int8_or_float<lower_conv2d>}},
    {Op::conv2d_transpose, {refuse_convolution<refuse_conversion>, via_f32<lower_conv2d_transpose>}},
    {Op::depthwise_conv2d_native, {refuse_convolution<refuse_conversion>, via_f32<lower_depthwise>}},
    {Op::conv3d, {refuse_conversion, via_f32<lower_conv3d>}},
};

}  // namespace

std::span<const LoweringRow> convolution_lowerings() { return kConvolutionLowerings; }

}  // namespace nnrt::vulkan
