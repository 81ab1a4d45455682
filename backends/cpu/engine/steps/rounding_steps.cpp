#include "backends/cpu/engine/steps/rounding_steps.h"

#include "backends/cpu/engine/steps/tensor_uses.h"
#include "backends/cpu/simd/simd.h"
#include "core/graph/activation.h"
#include "core/passes/fuse.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nnrt::cpu {
namespace {

class RoundingSteps {
 public:
  explicit RoundingSteps(Program& program)
      : program_(program), graph_(*program.graph), uses_(*program.graph) {}

  void run() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (graph_.nodes[id].op != Op::where) continue;
      inner_.clear();
      const std::optional<TensorId> x = rounded_by(graph_.nodes[id]);
      if (!x || !are_read_only_by(id)) continue;
      for (const NodeId inner : inner_) program_.steps[inner].folded = true;
      if (!quantizes(id, *x)) program_.steps[id].rounded = *x;
    }
  }

 private:
  // The tensor whose rounded values the node selects: WHERE(rest > 0.5 or rest == 0.5 and below is odd,
  // CEIL(x), below) with below = FLOOR(x) and rest = x - below.
  std::optional<TensorId> rounded_by(const Node& where) {
    const Node* const down = inner(where.inputs[2], Op::floor);
    const Node* const up = inner(where.inputs[1], Op::ceil);
    const Node* const either = inner(where.inputs[0], Op::logical_or);
    if (down == nullptr || up == nullptr || either == nullptr) return {};
    const TensorId x = down->inputs[0];
    const Node* const more = inner(either->inputs[0], Op::greater);
    const Node* const tie = inner(either->inputs[1], Op::logical_and);
    if (up->inputs[0] != x || more == nullptr || tie == nullptr || !is_half(more->inputs[1])) return {};
    const Node* const rest = inner(more->inputs[0], Op::sub);
    const Node* const is_tie = inner(tie->inputs[0], Op::equal);
    const Node* const is_odd = inner(tie->inputs[1], Op::not_equal);
    if (rest == nullptr || is_tie == nullptr || is_odd == nullptr) return {};
    if (rest->inputs != std::vector<TensorId>{x, down->outputs[0]}) return {};
    if (is_tie->inputs[0] != rest->outputs[0] || !is_half(is_tie->inputs[1])) return {};
    const Node* const half = inner(is_odd->inputs[0], Op::mul);
    const Node* const below_half = inner(is_odd->inputs[1], Op::floor);
    if (half == nullptr || below_half == nullptr || below_half->inputs[0] != half->outputs[0]) return {};
    if (half->inputs[0] != down->outputs[0] || !is_half(half->inputs[1])) return {};
    return is_plain_float(x) ? std::optional(x) : std::nullopt;
  }

  // CAST(CLIP(rounded x + addend)) with x = source / divisor, and rounding in `where`, becomes one step.
  bool quantizes(NodeId where, TensorId x) {
    const Node& node = graph_.nodes[where];
    const std::optional<NodeId> reader = uses_.only_reader(node.outputs[0]);
    if (!reader || node.post_ops.size() != 2 || !is_cast_to_bytes(graph_.nodes[*reader])) return false;
    const PostOp &add = node.post_ops[0], &clip = node.post_ops[1];
    if (add.op != Op::add || !add.other || !clips_to_bytes(clip)) return false;
    const Node* const quotient = inner(x, Op::div);
    if (quotient == nullptr || !are_read_only_by(where)) return false;
    Program::Quantization step{quotient->inputs[0], quotient->inputs[1], node.inputs[*add.other]};
    const Shape& shape = graph_.shapes[step.source];  // that of the result, too, if the others are numbers
    if (graph_.shapes[x] != shape || graph_.shapes[node.outputs[0]] != shape) return false;
    if (!is_plain_float(step.source)) return false;
    for (const TensorId number : {step.divisor, step.addend})
      if (!is_number(number) || graph_.shapes[number].size() > shape.size()) return false;
    program_.steps[*uses_.writer[x]].folded = program_.steps[where].folded = true;
    NodeId last = *reader;
    if (const auto to_signed = uses_.only_reader(graph_.nodes[last].outputs[0]);
        to_signed && !program_.steps[*to_signed].table && subtracts_128(graph_.nodes[*to_signed])) {
      program_.steps[last].folded = step.is_signed = true;
      last = *to_signed;
    }
    program_.steps[last].quantized = step;
    return true;
  }

  // Returns whether a QUANT_DTYPE_CAST maps UINT8 codes to INT8 codes that are 128 less.
  bool subtracts_128(const Node& node) const {
    const Tensor &from = graph_.tensors[node.inputs[0]], &to = graph_.tensors[node.outputs[0]];
    if (node.op != Op::quant_dtype_cast || !node.post_ops.empty() || to.dtype != DType::i8) return false;
    if (from.quant.empty() || to.quant.empty()) return true;
    return from.quant.scales.size() == 1 && from.quant.scales == to.quant.scales &&
           from.quant.zero_points[0] - to.quant.zero_points[0] == 128;
  }

  bool is_cast_to_bytes(const Node& node) const {
    return node.op == Op::cast && node.post_ops.empty() &&
           graph_.tensors[node.outputs[0]].dtype == DType::u8 && !node.attrs.is_set(Attr::saturate) &&
           !node.attrs.is_set(Attr::source_shifted) && !node.attrs.is_set(Attr::target_shifted);
  }

  bool is_plain_float(TensorId id) const {
    return graph_.tensors[id].dtype == DType::f32 && graph_.tensors[id].quant.empty();
  }
  bool is_number(TensorId id) const { return is_plain_float(id) && element_count(graph_.shapes[id]) == 1; }

  // Returns the node that writes the tensor, and adds it to `inner_`; nullptr unless it is a plain node of
  // this operator.
  const Node* inner(TensorId tensor, Op op) {
    const std::optional<NodeId> id = uses_.writer[tensor];
    if (!id) return nullptr;
    const Node& node = graph_.nodes[*id];
    if (node.op != op || !node.post_ops.empty() || activation_of(node.attrs) != Activation::none)
      return nullptr;
    inner_.push_back(*id);
    return &node;
  }

  bool is_half(TensorId id) const {
    const Tensor& tensor = graph_.tensors[id];
    if (!tensor.is_constant() || tensor.dtype != DType::f32 || element_count(graph_.shapes[id]) != 1)
      return false;
    float value = 0;
    std::memcpy(&value, program_.constants[id], sizeof value);
    return value == 0.5f;
  }

  bool are_read_only_by(NodeId where) const {
    return std::ranges::all_of(inner_, [&](NodeId id) {
      return uses_.are_readers(graph_.nodes[id].outputs[0], [&](NodeId reader) {
        return reader == where || std::ranges::find(inner_, reader) != inner_.end();
      });
    });
  }

  Program& program_;
  const Graph& graph_;
  const TensorUses uses_;
  std::vector<NodeId> inner_;  // nodes of the group being matched
};

}  // namespace

bool clips_to_bytes(const PostOp& step) {
  return step.op == Op::clip && step.attrs.real(Attr::min) == 0 && step.attrs.real(Attr::max) == 255;
}

void find_rounding_steps(Program& program) {
  if (fusing_is_on()) RoundingSteps(program).run();
}

namespace {

[[gnu::always_inline]] inline float rounded(float x) {
  constexpr float kWhole = 8388608.0f;  // floats from here on are integers
  const float magnitude = std::abs(x), sum = magnitude + kWhole - kWhole;
  return std::copysign(magnitude < kWhole ? sum : magnitude, x);
}

}  // namespace

void round_half_even(const float* from, float* to, int64_t count) {
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        for (int64_t i = 0; i < count; ++i) to[i] = rounded(from[i]);
      });
}

void quantize_half_even(const float* from, float divisor, float addend, uint8_t* to, int64_t count,
                        uint8_t flips) {
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        // Stores of bytes may alias captured variables, but not these.
        const float* const x = from;
        uint8_t* const y = to;
        const int64_t values = count;
        const float by = divisor, plus = addend;
        const uint8_t flip = flips;
        for (int64_t i = 0; i < values; ++i) {
          const float code = rounded(x[i] / by) + plus;
          const float positive = code > 0 ? code : 0.0f;  // also if not a number
          y[i] = uint8_t(int32_t(positive < 255 ? positive : 255.0f)) ^ flip;
        }
      });
}

}  // namespace nnrt::cpu
