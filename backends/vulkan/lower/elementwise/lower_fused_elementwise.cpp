#include "backends/vulkan/lower/common/vectorized_walk.h"
#include "backends/vulkan/lower/elementwise/elementwise_push.h"
#include "backends/vulkan/lower/elementwise/lower_dequantized.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <bit>
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

Operator operator_of(const NodeView& node, Op op, const Attrs& attrs, uint32_t with) {
  if (op == Op::quant_dtype_cast) return {uint32_t(op), 0, rounding_parameters(node.output(0).quant)};
  if (is_unary(op)) return {unary_number(op, attrs), 0, unary_parameters(op, attrs, DType::f32)};
  const Op computed = arithmetic_of(op, attrs);
  if (computed != Op::pow) return {uint32_t(computed), with, {}};
  return {uint32_t(computed), with, std::bit_cast<std::array<uint32_t, 2>>(pow_parameters(attrs))};
}

// The node's operator, its activation and its post-ops.
std::vector<Operator> operators_of(const NodeView& node) {
  std::vector<Operator> operators{operator_of(node, node.op(), node.attrs(), 1)};
  if (const uint32_t activation = activation_of(node); activation != 0) {
    operators.push_back({uint32_t(activation == 1 ? Op::relu : Op::relu6), 0, {}});
  }
  for (const PostOp& step : node.node().post_ops) {
    operators.push_back(
        operator_of(node, step.op, step.attrs, step.other.value_or(0) | (step.swapped ? kSwapped : 0)));
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
  const VectorWalk walk = fused_walk(node);
  return walk.by_vectors() && walk.shape.size() <= kMaxFusedDims;
}

namespace {

// Kernels can read fp16 from storage buffers, but not through texel views.
std::string_view shader_for(const LoweringContext& context) {
  bool reads_fp16 = false;
  for (size_t i = 0; i < context.node.node().inputs.size() && context.plan.fp16_storage; ++i)
    reads_fp16 = reads_fp16 || context.sink.fp16_input(i);
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
