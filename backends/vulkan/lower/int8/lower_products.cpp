// Lowerings of the matrix products, float and quantized.
#include "backends/vulkan/lower/common/lowering_families.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "backends/vulkan/lower/gemm/lower_nbits.h"
#include "backends/vulkan/lower/int8/int8_kernels.h"

namespace nnrt::vulkan {
namespace {

Status lower_matmul(const LoweringContext& context) {
  NNRT_ASSIGN(MatMul shape, matmul_of(context.node));
  NNRT_ASSIGN(const Epilogue epilogue, epilogue_of(context.node));
  std::optional<Buffer> bias;
  if (epilogue.bias) bias = context.input(*epilogue.bias);
  return add_gemm(context, {fold_batch(std::move(shape)), context.output(), bias, epilogue});
}

Status lower_full_connection(const LoweringContext& context) {
  const Attrs& attrs = context.node.attrs();
  NNRT_ASSIGN(const MatMul shape, matmul_of(context.node));
  const bool ignored = attrs.has(Attr::has_bias) && !attrs.flag(Attr::has_bias);
  std::optional<Buffer> bias;
  if (context.node.input_count() > 2 && !ignored) bias = context.input(2);
  NNRT_ASSIGN(const Epilogue epilogue, epilogue_of(context.node));
  return add_gemm(context, {shape, context.output(), bias, epilogue});
}

constexpr LoweringRow kProductLowerings[] = {
    {Op::matmul, {refuse_product, by_int8_or_float<lower_matmul>}},
    {Op::full_connection, {refuse_product, by_int8_or_float<lower_full_connection>}},
    {Op::matmul_nbits, {refuse_conversion, via_f32<lower_matmul_nbits>}},
};

}  // namespace

std::span<const LoweringRow> product_lowerings() { return kProductLowerings; }

}  // namespace nnrt::vulkan
