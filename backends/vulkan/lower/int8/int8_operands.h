// A quantized MATMUL, FULL_CONNECTION or CONV2D as the kernels see it that multiply its values as they are:
// values of an operand that are multiplied by each other's lie side by side.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "core/passes/kernel_choice.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

// Sizes and strides in values. Rows of a GEMM are pixels of images of one.
struct Int8Work {
  uint32_t pixels = 0;
  Size2 out{1, 1}, in{1, 1};
  uint32_t pixel = 0, group = 0;  // size of a pixel of the input, and of what a group reads of it
  uint32_t columns = 0, groups = 1;
  SpatialPush spatial{{1, 1}, {1, 1}, {1, 1}, {}};
  uint32_t matrices = 1, a_matrix = 0, b_matrix = 0, y_matrix = 0;
  bool transposes_weight = false;  // on the host

  uint32_t inner() const { return spatial.kernel[0] * spatial.kernel[1] * group; }
  // True for a convolution as well, if each pixel is computed from one.
  bool is_gemm_of_pixels() const;
};

// Returns why the node is no such work. Values that are multiplied with each other must lie in whole groups
// of `unit`, columns in groups of four. Shapes are static.
WhyNot why_not_int8(const NodeView& node, uint32_t unit);
// Returns whether the results are the sums of products, as INT32.
bool has_sums(const NodeView& node);
Result<Int8Work> int8_work_of(const NodeView& node);

// The end of the push constants of these kernels. Where ties go to even, sums are scaled by one FLOAT32, as
// ONNX has it: sum_scale_of() has the scale of the output in it, and `limits` are in units of the output.
struct RequantizePush {
  int32_t zero = 0;
  float scale = 1;  // as quantize() of float_math.glsl takes it; 0: results are the sums
  uint32_t has_bias = 0;
  Limits limits;
};
Result<RequantizePush> requantize_push_of(const NodeView& node);

// The second operand with its values along the inner dimension.
Buffer int8_weight(const LoweringContext& context, const Int8Work& work);
// `any` where there is no bias.
Buffer int8_bias(const LoweringContext& context, Buffer any);

// The scale of the sums of a column.
float sum_scale_of(const NodeView& node, uint32_t column);
int32_t right_zero_of(const NodeView& node, uint32_t column);

}  // namespace nnrt::vulkan
