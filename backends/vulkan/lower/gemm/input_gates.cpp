#include "backends/vulkan/lower/gemm/input_gates.h"

#include "backends/vulkan/lower/gemm/lower_gemm.h"

namespace nnrt::vulkan {

Result<Buffer> add_input_gates(const LoweringContext& context, const InputGates& sizes, Buffer input) {
  MatMul shape;
  shape.rows = sizes.rows;
  shape.columns = sizes.gates;
  shape.inner = sizes.inputs;
  shape.transpose_b = true;
  shape.batch = {sizes.directions};
  shape.batch_stride_a = {0};
  shape.batch_stride_b = {1};
  const Buffer gates =
      context.sink.scratch(size_t(sizes.directions * shape.rows * shape.columns) * sizeof(float));
  NNRT_TRY(add_gemm(context, {.shape = shape, .output = gates, .left = input, .first = sizes.first}));
  return gates;
}

}  // namespace nnrt::vulkan
