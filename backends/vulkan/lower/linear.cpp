#include "backends/vulkan/lower/as_float.h"
#include "backends/vulkan/lower/convolution.h"
#include "backends/vulkan/lower/dots.h"
#include "backends/vulkan/lower/lstm.h"
#include "backends/vulkan/lower/product.h"

namespace nnrt::vulkan {
namespace {

Refusal refuse_linear(const NodeView& node, const DevicePlan&) { return refuse_real(node); }

Status lower_matmul(const LoweringContext& context) {
  NNRT_ASSIGN(const MatMul shape, matmul_of(context.node));
  NNRT_ASSIGN(const Finish finish, finish_of(context.node));
  return add_product(context, {shape, context.output(), {}, finish});
}

Status lower_full_connection(const LoweringContext& context) {
  const Attrs& attrs = context.node.attrs();
  NNRT_ASSIGN(const MatMul shape, matmul_of(context.node));
  const bool ignored = attrs.has(Attr::has_bias) && !attrs.flag(Attr::has_bias);
  std::optional<Buffer> bias;
  if (context.node.input_count() > 2 && !ignored) bias = context.input(2);
  NNRT_ASSIGN(const Finish finish, finish_of(context.node));
  return add_product(context, {shape, context.output(), bias, finish});
}

template <LowerFunction lower>
Status by_dots_or_float(const LoweringContext& context) {
  if (!refuse_dots(context.node, context.plan)) return lower_dots(context);
  return through_float<lower>(context);
}

constexpr LoweringRow kRows[] = {
    {Op::matmul, {refuse_linear, by_dots_or_float<lower_matmul>}},
    {Op::full_connection, {refuse_linear, by_dots_or_float<lower_full_connection>}},
    {Op::conv2d, {refuse_linear, by_dots_or_float<lower_conv2d>}},
    {Op::conv2d_transpose, {refuse_linear, through_float<lower_conv2d_transpose>}},
    {Op::depthwise_conv2d_native, {refuse_linear, through_float<lower_depthwise>}},
    {Op::lstm, {refuse_linear, through_float<lower_lstm>}},
};

}  // namespace

std::span<const LoweringRow> linear_lowerings() { return kRows; }

}  // namespace nnrt::vulkan
