#include "backends/vulkan/lower/common.h"

#include <cmath>

namespace nnrt::vulkan {
namespace {

struct UnaryPush {
  uint32_t count = 0;
  std::array<uint32_t, 2> parameters{};  // floats; integers where the shader computes in int
};

uint32_t bits_of(double value) { return std::bit_cast<uint32_t>(float(value)); }

// A bound of CLIP for INT32 is truncated towards zero first; saturated, for it may be infinite.
uint32_t int_bits_of(double value) {
  return uint32_t(int32_t(std::clamp(std::trunc(value), double(INT32_MIN), double(INT32_MAX))));
}

std::array<uint32_t, 2> parameters(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  switch (node.op()) {
    case Op::leaky_relu: return {bits_of(attrs.real(Attr::slope)), 0};
    case Op::gelu: return {bits_of(attrs.flag(Attr::approximate) ? 1 : 0), 0};
    case Op::clip: {
      const auto bits = node.dtype() == DType::i32 ? int_bits_of : bits_of;
      return {bits(attrs.real(Attr::min)), bits(attrs.real(Attr::max))};
    }
    case Op::exp: {  // base ^ (shift + scale x) = e ^ (a x + b)
      const double base = attrs.real(Attr::base);
      const double log_base = base == -1 ? 1 : std::log(base);
      return {bits_of(log_base * attrs.real(Attr::scale)), bits_of(log_base * attrs.real(Attr::shift))};
    }
    default: return {};
  }
}

Refusal refuse_unary(const NodeView& node, const DevicePlan&) {
  if (auto refusal = refuse_quantized(node)) return refusal;
  return refuse_dtype("unary", node.dtype());
}

Status lower_unary(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const uint32_t count, count_of(node.shape()));
  context.sink.add(Dispatch{.shader = variant("unary", node.dtype()),
                            .constants = {uint32_t(node.op())},
                            .push = Push(UnaryPush{count, parameters(node)}),
                            .buffers = {context.input(0), context.output()},
                            .threads = threads_for(words_of(node.dtype(), count), context.plan),
                            .local = {kGroup, 1, 1}});
  return {};
}

constexpr Lowering kUnary{refuse_unary, lower_unary};
constexpr LoweringRow kRows[] = {
    {Op::hswish, kUnary},     {Op::sigmoid, kUnary},    {Op::sqrt, kUnary},  {Op::tanh, kUnary},
    {Op::rsqrt, kUnary},      {Op::relu, kUnary},       {Op::relu6, kUnary}, {Op::gelu, kUnary},
    {Op::abs, kUnary},        {Op::erf, kUnary},        {Op::exp, kUnary},   {Op::square, kUnary},
    {Op::leaky_relu, kUnary}, {Op::clip, kUnary},       {Op::cos, kUnary},   {Op::log, kUnary},
    {Op::neg, kUnary},        {Op::reciprocal, kUnary}, {Op::sin, kUnary},   {Op::ceil, kUnary},
    {Op::floor, kUnary},      {Op::round, kUnary},      {Op::swish, kUnary}, {Op::hard_sigmoid, kUnary},
};

}  // namespace

std::span<const LoweringRow> unary_lowerings() { return kRows; }

}  // namespace nnrt::vulkan
