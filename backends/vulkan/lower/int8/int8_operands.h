// A quantized MATMUL, FULL_CONNECTION or CONV2D for kernels that multiply INT8 values directly. In both
// operands the values along the inner dimension are contiguous.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "core/passes/kernel_choice.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

// Sizes and strides in values. A GEMM's rows are treated as the pixels of 1x1 images.
struct Int8Work {
  uint32_t pixels = 0;
  Size2 out{1, 1}, in{1, 1};
  uint32_t pixel = 0, group = 0;  // values per input pixel, and how many of them a group reads
  uint32_t columns = 0, groups = 1;
  SpatialPush spatial{{1, 1}, {1, 1}, {1, 1}, {}};
  uint32_t matrices = 1, a_matrix = 0, b_matrix = 0, y_matrix = 0;
  bool transposes_weight = false;  // on the host

  uint32_t inner() const { return spatial.kernel[0] * spatial.kernel[1] * group; }
  // Also true for a convolution whose output pixels each depend on one input pixel.
  bool is_gemm_of_pixels() const;
};

// Returns why the node cannot be expressed as Int8Work. The inner dimension must be a multiple of `unit`, and
// the columns a multiple of four. Shapes are static.
WhyNot why_not_int8(const NodeView& node, uint32_t unit);
// Returns whether the result is the INT32 sums.
bool has_sums(const NodeView& node);
Result<Int8Work> int8_work_of(const NodeView& node);

// Must match int8_code.glsl.
enum class Rounding : uint32_t {
  none,  // the results are the sums
  away,
  to_even,
};

// The end of the push constants of these kernels.
struct RequantizePush {
  int32_t zero = 0;
  Rounding rounding = Rounding::away;
  uint32_t has_bias = 0;
  Limits limits;  // in steps (requantization.h)
};
Result<RequantizePush> requantize_push_of(const NodeView& node);

// The second operand, packed along the inner dimension.
Buffer int8_weight(const LoweringContext& context, const Int8Work& work);
// `any` if there is no bias.
Buffer int8_bias(const LoweringContext& context, Buffer any);

// The factor from a column's sums to steps and its digits (requantization_bits()); 0 if the results are sums.
std::array<uint32_t, 2> sum_factor_bits_of(const NodeView& node, uint32_t column);
int32_t right_zero_of(const NodeView& node, uint32_t column);

}  // namespace nnrt::vulkan
