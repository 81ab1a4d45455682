#include "backends/vulkan/lower/common/vectorized_walk.h"
#include "backends/vulkan/lower/elementwise/elementwise_push.h"
#include "backends/vulkan/lower/elementwise/lower_cast.h"
#include "backends/vulkan/lower/elementwise/requantization.h"
#include "core/schema/geometry.h"
#include "core/schema/rules.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace nnrt::vulkan {
namespace {

struct BinaryPush {
  uint32_t count = 0;
  float a = 1, b = 0, scale = 1;
  uint32_t zero_points = 0;
  Dims8 dims{};
  Strides8 x{}, y{};
  uint32_t step = 1;
};

struct QuantizedPush {
  BinaryPush binary;
  std::array<float, 2> low{};
};

bool is_comparison(Op op) {
  return op == Op::less || op == Op::less_equal || op == Op::equal || op == Op::not_equal ||
         op == Op::greater || op == Op::greater_equal;
}

bool is_logical(Op op) { return op == Op::logical_and || op == Op::logical_or; }

// The dtype that the operands are converted to (R10).
DType computed_dtype(const NodeView& node) { return is_logical(node.op()) ? DType::boolean : promoted(node); }

std::string_view kernel(Op op) { return is_comparison(op) ? "compare" : "binary"; }

std::string_view shader(const NodeView& node) {
  return node.is_quantized() ? (is_comparison(node.op()) ? "compare_q8" : "binary_q8")
                             : variant(kernel(node.op()), computed_dtype(node));
}

Refusal refuse_binary(const NodeView& node, const DevicePlan&) {
  if (node.is_quantized()) {
    if (node.dtype() == DType::i8) return std::nullopt;
    return "Quantized " + std::string(name(node.dtype())) + " is not computed on the GPU.";
  }
  const DType dtype = computed_dtype(node);
  if (node.op() == Op::pow && !kFloat.contains(dtype))
    return "Powers of " + std::string(name(dtype)) + " are not computed on the GPU.";
  const bool is_arithmetic =
      node.op() == Op::add || node.op() == Op::sub || node.op() == Op::mul || node.op() == Op::div;
  if (is_arithmetic && dtype == DType::f64) return not_computed(dtype);
  if (node.op() == Op::div && node.attrs().is_set(Attr::round_mode) && !is_float(dtype))
    return "The GPU does not round integer quotients down.";
  for (size_t i = 0; i < 2; ++i) {
    if (auto refusal = refuse_cast(node.dtype(i), dtype)) return refusal;
  }
  return refuse_dtype(kernel(node.op()), dtype);
}

Result<Buffer> operand(const LoweringContext& context, size_t i) {
  const NodeView& node = context.node;
  const DType dtype = computed_dtype(node);
  if (node.is_quantized() || node.dtype(i) == dtype) return context.input(i);
  NNRT_ASSIGN(const uint32_t count, count_of(node.shape(i)));
  const Buffer converted = context.sink.scratch(count * size_of(dtype));
  add_cast(context, context.input(i), node.dtype(i), converted, dtype, count);
  return converted;
}

// Sums and products are computed on steps (requantization.h), other operators on real values.
QuantizedPush quantized_push(const NodeView& node, BinaryPush push) {
  const Quant &x = node.input(0).quant, &y = node.input(1).quant, &z = node.output(0).quant;
  push.a = float(x.scales[0]);
  push.b = float(y.scales[0]);
  push.zero_points = uint8_t(x.zero_points[0]) | uint32_t(uint8_t(y.zero_points[0])) << 8;
  if (is_comparison(node.op())) return {push};
  push.scale = rounding_scale(z);
  constexpr uint32_t kRelu6 = 2;
  const double infinity = std::numeric_limits<double>::infinity();
  const float highest = step_limits(z, -infinity, activation_of(node) == kRelu6 ? 6 : infinity)[1];
  push.zero_points |= uint32_t(uint8_t(z.zero_points[0])) << 16;
  push.zero_points |= uint32_t(uint8_t(int32_t(highest) + z.zero_points[0])) << 24;
  const Op op = arithmetic_of(node.op(), node.attrs());
  if (op == Op::mul) {
    const auto bits = requantization_bits(x.scales[0] * y.scales[0] / z.scales[0]);
    push.a = std::bit_cast<float>(bits[0]);
    push.b = std::bit_cast<float>(bits[1]);
  }
  if (op != Op::add && op != Op::sub) return {push};
  const double left = x.scales[0] / z.scales[0];
  const double right = (op == Op::sub ? -1 : 1) * y.scales[0] / z.scales[0];
  const SumFactors factors = sum_factors(left, right).value_or(SumFactors{{float(left), float(right)}, {}});
  push.a = factors.high[0];
  push.b = factors.high[1];
  return {push, factors.low};
}

// Comparisons use vectors of four elements, because four BOOL results are one word.
VectorWalk vectors_of(const NodeView& node) {
  const Shape& shape = node.output_shape();
  const Collapsed walk =
      collapse(shape, std::array{broadcast_strides(node.shape(0), shape), second_strides(node)});
  const size_t bytes = node.is_quantized() ? 1 : size_of(computed_dtype(node));
  const bool whole_words = is_comparison(node.op()) && bytes != 4;
  return whole_words ? VectorWalk{walk.shape, walk.strides, {Form::elements, Form::elements}}
                     : in_vectors(walk, int64_t(16 / bytes));
}

BinaryPush push_of(const NodeView& node, const VectorWalk& walk) {
  BinaryPush push;
  push.dims = dims8(walk.shape);
  push.x = strides8(walk.strides[0]);
  push.y = strides8(walk.strides[1]);
  if (node.op() == Op::pow) {
    const std::array<float, 2> parameters = pow_parameters(node.attrs());
    push.a = parameters[0];
    push.b = parameters[1];
  }
  if (node.op() == Op::bit_shift) push.a = float(node.attrs().integer(Attr::direction));
  return push;
}

Status lower_binary(const LoweringContext& context) {
  const NodeView& node = context.node;
  if (!node.node().post_ops.empty()) return lower_fused_elementwise(context);
  const VectorWalk walk = vectors_of(node);
  BinaryPush push = push_of(node, walk);
  NNRT_ASSIGN(push.count, count_of(node.output_shape()));
  NNRT_ASSIGN(const Buffer x, operand(context, 0));
  NNRT_ASSIGN(const Buffer y, operand(context, 1));
  // Without vectors: one invocation per word of results, or per result if that is wider.
  uint32_t work = std::min(push.count, words_of(node.output(0).dtype, push.count));
  std::string_view name = shader(node);
  if (walk.by_vectors() && is_comparison(node.op())) {
    work = uint32_t(product(walk.shape, 0, walk.shape.size()));
  } else if (walk.by_vectors()) {
    const Walk down = walk_of(walk.shape, context.plan);
    push.step = down.step;
    work = down.count;
    if (name == "binary_f32") name = by_texels(name, context.plan);
  }
  std::vector<uint32_t> constants{uint32_t(arithmetic_of(node.op(), node.attrs())),
                                  uint32_t(walk.shape.size()), uint32_t(walk.forms[0]),
                                  uint32_t(walk.forms[1])};
  if (!is_comparison(node.op())) constants.push_back(activation_of(node));
  const Push bytes = node.is_quantized() ? Push(quantized_push(node, push)) : Push(push);
  context.sink.add(Dispatch{.shader = name,
                            .constants = std::move(constants),
                            .push = bytes,
                            .buffers = {x, y, context.output()},
                            .threads = threads_for(work, context.plan),
                            .local = {kGroup, 1, 1}});
  return {};
}

}  // namespace

Op arithmetic_of(Op op, const Attrs& attrs) {
  switch (op) {
    case Op::bias_add:
    case Op::logical_or: return Op::add;
    case Op::logical_and: return Op::mul;
    case Op::eltwise: {
      constexpr Op kModes[] = {Op::mul, Op::add, Op::maximum};
      return kModes[attrs.integer(Attr::mode)];
    }
    default: return op;
  }
}

std::array<float, 2> pow_parameters(const Attrs& attrs) {
  return {float(attrs.real(Attr::scale)), float(attrs.real(Attr::shift))};
}

Strides second_strides(const NodeView& node) {
  const Shape& shape = node.shape(1);
  const Shape& output = node.output_shape();
  const bool along_channel = node.op() == Op::prelu || (node.op() == Op::bias_add && shape.size() == 1);
  if (!along_channel) return broadcast_strides(shape, output);
  Strides strides(output.size(), 0);
  if (element_count(shape) != 1) strides[channel_axis(node)] = 1;
  return strides;
}

const Lowering kBinaryLowering{refuse_binary, lower_binary};

}  // namespace nnrt::vulkan
