#include "backends/cpu/engine/rounding_steps.h"

#include "backends/cpu/simd/simd.h"
#include "core/graph/activation.h"
#include "core/passes/fuse.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nnrt::cpu {
namespace {

constexpr NodeId kNobody = ~NodeId{0};

class RoundingSteps {
 public:
  explicit RoundingSteps(Program& program)
      : program_(program),
        graph_(*program.graph),
        readers_(graph_.tensors.size()),
        writer_(graph_.tensors.size(), kNobody) {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      for (const TensorId input : graph_.nodes[id].inputs) readers_[input].push_back(id);
      for (const TensorId output : graph_.nodes[id].outputs) writer_[output] = id;
    }
  }

  void run() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (graph_.nodes[id].op != Op::where) continue;
      inner_.clear();
      const std::optional<TensorId> x = rounded_by(graph_.nodes[id]);
      if (!x || !are_read_only_by(id)) continue;
      program_.steps[id].rounded = *x;
      for (const NodeId inner : inner_) program_.steps[inner].folded = true;
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
    const bool is_plain = graph_.tensors[x].dtype == DType::f32 && graph_.tensors[x].quant.empty();
    return is_plain ? std::optional(x) : std::nullopt;
  }

  // Returns the node that writes the tensor, and adds it to `inner_`; nullptr unless it is a plain node of
  // this operator.
  const Node* inner(TensorId tensor, Op op) {
    const NodeId id = writer_[tensor];
    if (id == kNobody) return nullptr;
    const Node& node = graph_.nodes[id];
    if (node.op != op || !node.post_ops.empty() || activation_of(node.attrs) != Activation::none)
      return nullptr;
    inner_.push_back(id);
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
      const TensorId output = graph_.nodes[id].outputs[0];
      return std::ranges::find(graph_.outputs, output) == graph_.outputs.end() &&
             std::ranges::all_of(readers_[output], [&](NodeId reader) {
               return reader == where || std::ranges::find(inner_, reader) != inner_.end();
             });
    });
  }

  Program& program_;
  const Graph& graph_;
  std::vector<std::vector<NodeId>> readers_;  // by tensor
  std::vector<NodeId> writer_;                // by tensor
  std::vector<NodeId> inner_;                 // nodes of the group being matched
};

}  // namespace

void find_rounding_steps(Program& program) {
  if (fusing_is_on()) RoundingSteps(program).run();
}

void round_half_even(const float* from, float* to, int64_t count) {
  constexpr float kWhole = 8388608.0f;  // floats from here on are integers
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        for (int64_t i = 0; i < count; ++i) {
          const float magnitude = std::abs(from[i]), rounded = magnitude + kWhole - kWhole;
          to[i] = std::copysign(magnitude < kWhole ? rounded : magnitude, from[i]);
        }
      });
}

}  // namespace nnrt::cpu
