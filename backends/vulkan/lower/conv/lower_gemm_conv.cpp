#include "backends/vulkan/lower/attention/lower_attention.h"
#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/conv/lower_conv2d.h"
#include "backends/vulkan/lower/conv/lower_conv3d.h"
#include "backends/vulkan/lower/elementwise/lower_dequantized.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "backends/vulkan/lower/gemm/lower_nbits.h"
#include "backends/vulkan/lower/int8/lower_int8_dot.h"
#include "backends/vulkan/lower/int8/lower_int8_matrix.h"
#include "backends/vulkan/lower/recurrent/lower_lstm.h"
#include "backends/vulkan/lower/recurrent/lower_recurrent.h"

namespace nnrt::vulkan {
namespace {

Refusal refuse_gemm_conv(const NodeView& node, const DevicePlan&) { return refuse_conversion(node); }

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

template <bool by_subgroups>
constexpr Kernel<NodeView> int8_gemv_kernel(std::string_view name) {
  return {
      name,
      [](const LoweringContext& context, const NodeView& node) {
        return why_not_int8_gemv(node, context.plan, by_subgroups);
      },
      [](const LoweringContext& context, const NodeView&) { return lower_int8_gemv(context, by_subgroups); }};
}

template <Matrices matrices>
constexpr Kernel<NodeView> int8_matrix_kernel(std::string_view name) {
  return {name,
          [](const LoweringContext& context, const NodeView& node) {
            return why_not_int8_matrix(node, context.plan, matrices);
          },
          [](const LoweringContext& context, const NodeView&) { return lower_int8_matrix(context); }};
}

// Quantized operands are multiplied as they are, or dequantized first.
template <LowerFunction lower>
constexpr Kernel<NodeView> kQuantized[] = {
    int8_gemv_kernel<true>("int8_gemv_by_subgroups"),
    int8_gemv_kernel<false>("int8_gemv_by_group"),
    int8_matrix_kernel<Matrices::native>("int8_matrix"),
    int8_matrix_kernel<Matrices::emulated>("int8_matrix_emulated"),
    {"int8_dot",
     [](const LoweringContext& context, const NodeView& node) { return why_not_dots(node, context.plan); },
     [](const LoweringContext& context, const NodeView&) { return lower_int8_dot(context); }},
    {"dequantize", nullptr,
     [](const LoweringContext& context, const NodeView&) { return via_f32<lower>(context); }},
};

template <LowerFunction lower>
Status by_int8_or_float(const LoweringContext& context) {
  if (!has_quantized(context.node)) return via_f32<lower>(context);
  return lower_by_list(std::span<const Kernel<NodeView>>(kQuantized<lower>), context, context.node);
}

constexpr LoweringRow kGemmConvLowerings[] = {
    {Op::matmul, {refuse_gemm_conv, by_int8_or_float<lower_matmul>}},
    {Op::full_connection, {refuse_gemm_conv, by_int8_or_float<lower_full_connection>}},
    {Op::conv2d, {refuse_gemm_conv, by_int8_or_float<lower_conv2d>}},
    {Op::conv2d_transpose, {refuse_gemm_conv, via_f32<lower_conv2d_transpose>}},
    {Op::depthwise_conv2d_native, {refuse_gemm_conv, via_f32<lower_depthwise>}},
    {Op::conv3d, {refuse_gemm_conv, via_f32<lower_conv3d>}},
    {Op::attention, {refuse_gemm_conv, via_f32<lower_attention>}},
    {Op::lstm, {refuse_gemm_conv, via_f32<lower_lstm>}},
    {Op::gru, {refuse_gemm_conv, via_f32<lower_recurrent>}},
    {Op::rnn, {refuse_gemm_conv, via_f32<lower_recurrent>}},
    {Op::matmul_nbits, {refuse_gemm_conv, via_f32<lower_matmul_nbits>}},
};

}  // namespace

std::span<const LoweringRow> gemm_conv_lowerings() { return kGemmConvLowerings; }

}  // namespace nnrt::vulkan
