#include "backends/vulkan/lower/common/lookup_table.h"
#include "backends/vulkan/lower/elementwise/elementwise_push.h"
#include "backends/vulkan/lower/elementwise/lower_cast.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace nnrt::vulkan {
namespace {

struct UnaryPush {
  uint32_t vectors = 0;
  std::array<uint32_t, 2> parameters{};  // floats, or integers if the shader computes in int
  uint32_t step = 1;
};

uint32_t bits_of(double value) { return std::bit_cast<uint32_t>(float(value)); }

// CLIP bounds for INT32 are truncated, and saturated because they may be infinite.
uint32_t int_bits_of(double value) {
  return uint32_t(int32_t(std::clamp(std::trunc(value), double(INT32_MIN), double(INT32_MAX))));
}

// Operators on quantized INT8; null for others.
ValueFunction value_function(Op op) {
  switch (op) {
    case Op::relu: return [](double x) { return std::max(x, 0.0); };
    case Op::relu6: return [](double x) { return std::clamp(x, 0.0, 6.0); };
    case Op::hswish: return [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; };
    case Op::sigmoid: return [](double x) { return 1 / (1 + std::exp(-x)); };
    case Op::tanh: return [](double x) { return std::tanh(x); };
    case Op::rsqrt:
      return [](double x) { return x > 0 ? 1 / std::sqrt(x) : std::numeric_limits<double>::infinity(); };
    default: return nullptr;
  }
}

// The operator as a function of one byte; null if the operand is wider.
ByteFunction byte_function(const NodeView& node) {
  if (node.is_quantized()) {
    const ValueFunction function = value_function(node.op());
    return function ? quantized(node.input(0).quant, node.output(0).quant, function) : ByteFunction();
  }
  if (node.op() == Op::logical_not) return [](uint8_t byte) { return uint8_t(byte == 0); };
  if (node.op() == Op::bitwise_not && size_of(node.dtype()) == 1)
    return [](uint8_t byte) { return uint8_t(~byte); };
  if (node.dtype() != DType::i8) return nullptr;
  if (node.op() == Op::neg) return [](uint8_t byte) { return uint8_t(-byte); };
  if (node.op() == Op::sign) return [](uint8_t byte) { return uint8_t(byte >= 128 ? 255 : byte != 0); };
  return nullptr;
}

Refusal refuse_unary(const NodeView& node, const DevicePlan&) {
  if (node.op() == Op::logical_not) return refuse_cast(node.dtype(), DType::boolean);
  const bool loses_digits =
      node.op() == Op::abs || node.op() == Op::exp || node.op() == Op::sqrt || node.op() == Op::square;
  if (loses_digits && node.dtype() == DType::f64) return not_computed(node.dtype());
  return byte_function(node) ? std::nullopt : refuse_dtype("unary", node.dtype());
}

Status lower_unary(const LoweringContext& context) {
  const NodeView& node = context.node;
  if (!node.node().post_ops.empty()) return lower_fused_elementwise(context);
  NNRT_ASSIGN(const uint32_t count, count_of(node.shape()));
  if (const ByteFunction function = byte_function(node)) {
    Buffer bytes = context.input(0);
    if (size_of(node.dtype()) != 1) {  // LOGICAL_NOT of numbers
      bytes = context.sink.scratch(count);
      add_cast(context, context.input(0), node.dtype(), bytes, DType::boolean, count);
    }
    add_lookup(context, bytes, context.output(), count, node.node().outputs[0], "lookup", function);
    return {};
  }
  const uint32_t vectors = vectors_of(node.dtype(), count);
  const Walk walk = vulkan::walk_of({vectors}, context.plan);
  std::string_view shader = variant("unary", node.dtype());
  if (node.dtype() == DType::f32) shader = by_texels(shader, context.plan);
  context.sink.add(Dispatch{
      .shader = shader,
      .constants = {unary_number(node.op(), node.attrs())},
      .push = Push(UnaryPush{vectors, unary_parameters(node.op(), node.attrs(), node.dtype()), walk.step}),
      .buffers = {context.input(0), context.output()},
      .threads = threads_for(walk.count, context.plan),
      .local = {kGroup, 1, 1}});
  return {};
}

}  // namespace

uint32_t unary_number(Op op, const Attrs& attrs) {
  constexpr uint32_t kByTanh = 0x10000;
  return uint32_t(op) + (op == Op::gelu && attrs.flag(Attr::approximate) ? kByTanh : 0);
}

std::array<uint32_t, 2> unary_parameters(Op op, const Attrs& attrs, DType dtype) {
  switch (op) {
    case Op::leaky_relu: return {bits_of(attrs.real(Attr::slope)), 0};
    case Op::clip: {
      const auto bits = dtype == DType::i32 ? int_bits_of : bits_of;
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

uint32_t requantization_number(const Quant& quant) {
  constexpr uint32_t kToEven = 0x10000;
  return uint32_t(Op::quant_dtype_cast) + (quant.ties_to_even ? kToEven : 0);
}

const Lowering kUnaryLowering{refuse_unary, lower_unary};

}  // namespace nnrt::vulkan
