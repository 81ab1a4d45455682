#include "backends/vulkan/lower/common/vectorized_walk.h"
#include "backends/vulkan/lower/elementwise/elementwise_push.h"
#include "backends/vulkan/lower/elementwise/lower_dequantized.h"
#include "backends/vulkan/lower/elementwise/requantization.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

namespace nnrt::vulkan {
namespace {

constexpr size_t kMaxOperators = 5;
constexpr size_t kMaxOperands = 4;
constexpr size_t kMaxFusedDims = 4;
constexpr uint32_t kSwapped = 4;

struct FusedElementwisePush {
  std::array<std::array<uint32_t, 2>, kMaxOperators> parameters{};
  uint32_t count = 0;
  std::array<uint32_t, kMaxFusedDims> dims{};
  uint32_t step = 0;
  std::array<std::array<int32_t, kMaxOperands>, kMaxFusedDims> strides{};
};

struct Operator {
  uint32_t number = 0;  // as numbered in the shader
  uint32_t with = 0;
  std::array<uint32_t, 2> parameters{};
};

bool is_unary(Op op) { return schema(op).inputs.size() == 1; }

Operator operator_of(Op op, const Attrs& attrs, uint32_t with) {
  if (is_unary(op)) return {unary_number(op, attrs), 0, unary_parameters(op, attrs, DType::f32)};
  const Op computed = arithmetic_of(op, attrs);
  if (computed != Op::pow) return {uint32_t(computed), with, {}};
  return {uint32_t(computed), with, std::bit_cast<std::array<uint32_t, 2>>(pow_parameters(attrs))};
}

std::optional<SumFactors> sum_factors_of(const NodeView& node) {
  const double to = node.output(0).quant.scales[0];
  const double sign = arithmetic_of(node.op(), node.attrs()) == Op::sub ? -1 : 1;
  return sum_factors(node.input(0).quant.scales[0] / to, sign * node.input(1).quant.scales[0] / to);
}

// ADD, SUB or MUL of steps. Rounds before the activation, whose bounds are steps too.
std::vector<Operator> operators_on_steps(const NodeView& node) {
  constexpr uint32_t kAddSteps = uint32_t(Op::add) + 0x10000, kAddStepsToEven = uint32_t(Op::add) + 0x20000;
  const Quant& to = node.output(0).quant;
  std::vector<Operator> operators;
  if (arithmetic_of(node.op(), node.attrs()) == Op::mul) {
    const double factor = node.input(0).quant.scales[0] * node.input(1).quant.scales[0] / to.scales[0];
    operators.push_back({uint32_t(Op::mul), 1, {}});
    operators.push_back({requantization_number(to), 0, requantization_bits(factor)});
  } else {
    const auto high =
        std::bit_cast<std::array<uint32_t, 2>>(sum_factors_of(node).value_or(SumFactors{}).high);
    operators.push_back({to.ties_to_even ? kAddStepsToEven : kAddSteps, 1, high});
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const uint32_t activation = activation_of(node);
  const auto limits = step_limits(to, activation == 0 ? -kInfinity : 0, activation == 2 ? 6 : kInfinity);
  operators.push_back({uint32_t(Op::clip), 0, std::bit_cast<std::array<uint32_t, 2>>(limits)});
  return operators;
}

bool adds_steps(const NodeView& node) {
  return ends_in_steps(node.node()) && arithmetic_of(node.op(), node.attrs()) != Op::mul;
}

// The node's operator, its activation and its post-ops.
std::vector<Operator> operators_of(const NodeView& node) {
  if (ends_in_steps(node.node())) return operators_on_steps(node);
  std::vector<Operator> operators{operator_of(node.op(), node.attrs(), 1)};
  if (const uint32_t activation = activation_of(node); activation != 0) {
    operators.push_back({uint32_t(activation == 1 ? Op::relu : Op::relu6), 0, {}});
  }
  for (const PostOp& step : node.node().post_ops) {
    operators.push_back(
        operator_of(step.op, step.attrs, step.other.value_or(0) | (step.swapped ? kSwapped : 0)));
  }
  return operators;
}

VectorWalk fused_walk(const NodeView& node) {
  const Shape& shape = node.output_shape();
  std::vector<Strides> strides;
  for (size_t i = 0; i < node.node().inputs.size(); ++i) {
    const bool second = i == 1 && !is_unary(node.op());
    strides.push_back(second ? second_strides(node) : broadcast_strides(node.shape(i), shape));
  }
  return in_vectors(collapse(shape, strides), 4);
}

}  // namespace

bool supports_fused_elementwise(const NodeView& node) {
  const Node& fused = node.node();
  if (!node.schema().is_elementwise() || fused.inputs.size() > kMaxOperands) return false;
  if (!node.schema().outputs[0].dtypes.contains(DType::f32)) return false;  // comparisons return BOOL
  if (!kFloat.contains(node.dtype())) return false;
  for (size_t i = 0; i < fused.inputs.size(); ++i) {
    if (node.dtype(i) != node.dtype() || !is_static(node.shape(i))) return false;
  }
  if (!is_static(node.output_shape()) || element_count(node.output_shape()) == 0) return false;
  if (operators_of(node).size() > kMaxOperators) return false;
  if (adds_steps(node) && !sum_factors_of(node)) return false;
  const VectorWalk walk = fused_walk(node);
  return walk.by_vectors() && walk.shape.size() <= kMaxFusedDims;
}

namespace {

// Kernels can read fp16 from storage buffers, but not through texel views.
std::string_view shader_for(const LoweringContext& context) {
  bool reads_fp16 = false;
  for (size_t i = 0; i < context.node.node().inputs.size(); ++i)
    reads_fp16 = reads_fp16 || context.view(i).stored == DType::f16;
  return reads_fp16 ? "fused_elementwise" : by_texels("fused_elementwise", context.plan);
}

Status lower_floats(const LoweringContext& context) {
  const NodeView& node = context.node;
  const size_t operands = node.node().inputs.size();
  for (size_t i = 0; i < operands; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  const VectorWalk walk = fused_walk(node);
  FusedElementwisePush push;
  push.count = uint32_t(product(walk.shape, 0, walk.shape.size()));
  std::ranges::copy(walk.shape, push.dims.begin());
  const Walk down = walk_of(walk.shape, context.plan);
  push.step = down.step;
  uint32_t splat = 0;
  std::vector<Buffer> buffers;
  for (size_t i = 0; i < kMaxOperands; ++i) buffers.push_back(context.input(i < operands ? i : 0));
  buffers.push_back(context.output());
  for (size_t i = 0; i < operands; ++i) {
    if (walk.forms[i] == Form::splat) splat |= 1u << i;
    for (size_t d = 0; d < walk.shape.size(); ++d) push.strides[d][i] = int32_t(walk.strides[i][d]);
  }
  std::vector<uint32_t> constants{uint32_t(walk.shape.size()), uint32_t(operands), splat};
  for (const Operator& entry : operators_of(node)) {
    push.parameters[(constants.size() - 3) / 2] = entry.parameters;
    constants.insert(constants.end(), {entry.number, entry.with});
  }
  constants.resize(3 + 2 * kMaxOperators);
  if (adds_steps(node)) {
    const SumFactors factors = sum_factors_of(node).value_or(SumFactors{});
    push.parameters.back() = std::bit_cast<std::array<uint32_t, 2>>(factors.low);
  }
  context.sink.add(Dispatch{.shader = shader_for(context),
                            .constants = std::move(constants),
                            .push = Push(push),
                            .buffers = std::move(buffers),
                            .threads = threads_for(down.count, context.plan),
                            .local = {kGroup, 1, 1}});
  return {};
}

}  // namespace

Status lower_fused_elementwise(const LoweringContext& context) {
  return context.node.dtype() == DType::f16 ? lower_as_f32(context, lower_floats) : lower_floats(context);
}

}  // namespace nnrt::vulkan
