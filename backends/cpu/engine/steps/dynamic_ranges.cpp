#include "backends/cpu/engine/steps/dynamic_ranges.h"

#include "backends/cpu/base/scalar_arithmetic.h"
#include "backends/cpu/engine/steps/rounding_steps.h"
#include "backends/cpu/engine/steps/tensor_uses.h"
#include "backends/cpu/simd/simd.h"
#include "core/graph/activation.h"
#include "core/passes/fuse.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>

namespace nnrt::cpu {
namespace {

class DynamicRanges {
 public:
  explicit DynamicRanges(Program& program)
      : program_(program), graph_(*program.graph), uses_(*program.graph) {}

  void run() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (!program_.steps[id].quantized) continue;
      Program::Quantization step = *program_.steps[id].quantized;
      step_ = id;
      folded_.clear();
      placed_.clear();
      step.zero_points.clear();
      if (!finds_range(step) || !are_written_in_time(step)) continue;
      step.finds_range = true;
      for (const NodeId node : folded_) program_.steps[node].folded = true;
      for (const NodeId node : placed_) {
        program_.steps[node].placed = true;
        program_.steps[node].rounded.reset();
      }
      program_.steps[id].quantized = std::move(step);
    }
  }

 private:
  // With range = (MAXIMUM(REDUCE_MAX(x), 0) - low) / 255 and low = MINIMUM(REDUCE_MIN(x), 0): the divisor is
  // WHERE(range == 0, 1, range), the addend CLIP(rounded -(low / divisor), 0, 255).
  bool finds_range(const Program::Quantization& step) {
    const Node* const choice = node(step.divisor, Op::where);
    if (choice == nullptr || !is_number(choice->inputs[1], 1)) return false;
    const TensorId range = choice->inputs[2];
    const Node* const is_zero = node(choice->inputs[0], Op::equal);
    const Node* const high = node(range, Op::reduce_max, {Op::maximum, Op::sub, Op::div});
    if (is_zero == nullptr || is_zero->inputs[0] != range || !is_number(is_zero->inputs[1], 0)) return false;
    if (high == nullptr || !is_number(other(*high, 0), 0) || !is_number(other(*high, 2), 255)) return false;
    const TensorId low = other(*high, 1);
    const Node* const lowest = node(low, Op::reduce_min, {Op::minimum});
    if (lowest == nullptr || !is_number(other(*lowest, 0), 0)) return false;
    if (high->inputs[0] != step.source || lowest->inputs[0] != step.source) return false;
    if (element_count(graph_.shapes[range]) != 1 || element_count(graph_.shapes[low]) != 1) return false;

    const std::optional<NodeId> rounding = uses_.writer[step.addend];
    if (!rounding || !program_.steps[*rounding].rounded || program_.deferred[*rounding]) return false;
    const Node& zero = graph_.nodes[*rounding];
    if (zero.post_ops.size() != 1 || !clips_to_bytes(zero.post_ops[0])) return false;
    const TensorId unrounded = *program_.steps[*rounding].rounded;
    const Node* const quotient = node(unrounded, Op::div, {Op::neg});
    if (quotient == nullptr || quotient->inputs != std::vector<TensorId>{low, step.divisor}) return false;
    placed_ = {*uses_.writer[step.divisor], *rounding};
    std::erase(folded_, placed_[0]);
    return are_read_only_here(range) && are_read_only_here(low) && are_read_only_here(choice->inputs[0]) &&
           is_read_only_by_rounding(unrounded);
  }

  // Returns whether nodes before the step read the scale and the zero point only to find the range or another
  // form of the zero point, which becomes part of the step.
  bool are_written_in_time(Program::Quantization& step) {
    return is_written_in_time(step.divisor, 1, nullptr) && add_forms(step, step.addend, 1);
  }

  bool add_forms(Program::Quantization& step, TensorId zero, int own_readers, int32_t less = 0) {
    std::vector<NodeId> forms;
    if (!is_written_in_time(zero, own_readers, &forms)) return false;
    for (const NodeId form : forms) {
      const std::optional<int32_t> minus = form_of(graph_.nodes[form]);
      if (!minus || !program_.is_ordinary(form)) return false;
      const TensorId made = graph_.nodes[form].outputs[0];
      placed_.push_back(form);
      step.zero_points.push_back({made, graph_.tensors[made].dtype == DType::u8, add(less, *minus)});
      if (!add_forms(step, made, 0, add(less, *minus))) return false;
    }
    return true;
  }

  // Appends other nodes before the step that read the tensor to `others`, which null does not allow. Nodes
  // that were folded before are part of the quantization itself, which has `own_readers` of them, or of
  // unknown steps.
  bool is_written_in_time(TensorId tensor, int own_readers, std::vector<NodeId>* others) const {
    int folded = 0;
    for (const NodeId reader : uses_.readers[tensor]) {
      if (reader > step_ || is_folded_here(reader)) continue;
      if (program_.steps[reader].folded) {
        ++folded;
      } else if (others == nullptr) {
        return false;
      } else {
        others->push_back(reader);
      }
    }
    return folded <= own_readers;
  }

  // If the node makes another form of a zero point, what it subtracts: a constant, or 0 for CAST to UINT8 or
  // INT32.
  std::optional<int32_t> form_of(const Node& node) const {
    const Tensor &from = graph_.tensors[node.inputs[0]], &to = graph_.tensors[node.outputs[0]];
    if (!node.post_ops.empty() || !to.quant.empty() || !from.quant.empty()) return {};
    if (element_count(graph_.shapes[node.outputs[0]]) != 1) return {};
    if (node.op == Op::cast) {
      for (const Attr attr : {Attr::saturate, Attr::source_shifted, Attr::target_shifted})
        if (node.attrs.is_set(attr)) return {};
      const bool is_form = (from.dtype == DType::f32 && to.dtype == DType::u8) ||
                           (from.dtype == DType::u8 && to.dtype == DType::i32);
      return is_form ? std::optional<int32_t>(0) : std::nullopt;
    }
    if (node.op != Op::sub || to.dtype != DType::i32 || activation_of(node.attrs) != Activation::none)
      return {};
    const TensorId less = node.inputs[1];
    if (!graph_.tensors[less].is_constant() || graph_.tensors[less].dtype != DType::i32) return {};
    if (element_count(graph_.shapes[less]) != 1) return {};
    int32_t minus = 0;
    std::memcpy(&minus, program_.constants[less], sizeof minus);
    return minus;
  }

  // The node that writes the tensor, to be folded; nullptr unless it has these post-ops.
  const Node* node(TensorId tensor, Op op, std::initializer_list<Op> post_ops = {}) {
    const std::optional<NodeId> id = uses_.writer[tensor];
    if (!id || !program_.is_alone(*id)) return nullptr;
    const Node& node = graph_.nodes[*id];
    const auto is_same = [](const PostOp& step, Op wanted) { return step.op == wanted && !step.swapped; };
    if (node.op != op || activation_of(node.attrs) != Activation::none) return nullptr;
    if (node.attrs.has(Attr::reduce_to_end) && node.attrs.flag(Attr::reduce_to_end)) return nullptr;
    if (!std::ranges::equal(node.post_ops, post_ops, is_same)) return nullptr;
    folded_.push_back(*id);
    return &node;
  }
  static TensorId other(const Node& node, size_t post_op) {
    return node.inputs[*node.post_ops[post_op].other];
  }

  bool is_number(TensorId id, float value) const {
    const Tensor& tensor = graph_.tensors[id];
    return tensor.is_constant() && tensor.dtype == DType::f32 && element_count(graph_.shapes[id]) == 1 &&
           std::memcmp(program_.constants[id], &value, sizeof value) == 0;
  }

  bool is_folded_here(NodeId id) const { return std::ranges::find(folded_, id) != folded_.end(); }

  bool are_read_only_here(TensorId tensor) const {
    return uses_.are_readers(tensor,
                             [&](NodeId reader) { return is_folded_here(reader) || reader == placed_[0]; });
  }

  // FLOOR, SUB and CEIL read it.
  bool is_read_only_by_rounding(TensorId tensor) const {
    return uses_.readers[tensor].size() == 3 &&
           uses_.are_readers(tensor, [&](NodeId reader) { return program_.steps[reader].folded; });
  }

  Program& program_;
  const Graph& graph_;
  const TensorUses uses_;
  NodeId step_ = 0;
  std::vector<NodeId> folded_, placed_;
};

struct Extremes {
  float low = 0, high = 0;  // NaN is ignored
};

template <int Bytes>
[[gnu::always_inline]] inline void join_extremes(const float* values, int64_t count, Extremes& extremes) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float)), kVectors = 4;
  using V = Vector<Bytes>;
  V low[kVectors] = {}, high[kVectors] = {};
  int64_t i = 0;
  for (; i + kVectors * kLanes <= count; i += kVectors * kLanes) {
    for (int64_t v = 0; v < kVectors; ++v) {
      const V x = load<Bytes>(values + i + v * kLanes);
      low[v] = x < low[v] ? x : low[v];
      high[v] = high[v] < x ? x : high[v];
    }
  }
  float lows[kLanes], highs[kLanes];
  for (int64_t v = 1; v < kVectors; ++v) {
    low[0] = low[v] < low[0] ? low[v] : low[0];
    high[0] = high[0] < high[v] ? high[v] : high[0];
  }
  store<Bytes>(lows, low[0]);
  store<Bytes>(highs, high[0]);
  Extremes all;
  const auto join = [&all](float lowest, float highest) __attribute__((always_inline)) {
    all.low = lowest < all.low ? lowest : all.low;
    all.high = all.high < highest ? highest : all.high;
  };
  for (int64_t lane = 0; lane < kLanes; ++lane) join(lows[lane], highs[lane]);
  for (; i < count; ++i) join(values[i], values[i]);
  extremes = all;
}

}  // namespace

void find_dynamic_ranges(Program& program) {
  if (fusing_is_on()) DynamicRanges(program).run();
}

DynamicRange range_of(const float* values, int64_t count, ThreadPool& pool) {
  constexpr int64_t kGrain = 1 << 14, kMaxPieces = 64;
  const int64_t pieces = std::clamp<int64_t>(count / kGrain, 1, kMaxPieces);
  std::array<Extremes, size_t(kMaxPieces)> extremes;
  pool.parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t first = count * piece / pieces, last = count * (piece + 1) / pieces;
      with_vectors(
          vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
            join_extremes<bytes>(values + first, last - first, extremes[size_t(piece)]);
          });
    }
  });
  Extremes all;
  for (const Extremes& piece : extremes) {
    all.low = std::min(all.low, piece.low);
    all.high = std::max(all.high, piece.high);
  }
  const float range = (all.high - all.low) / 255.0f;
  DynamicRange made{range == 0 ? 1.0f : range, 0};
  const float quotient = -(all.low / made.scale);
  round_half_even(&quotient, &made.zero_point, 1);
  made.zero_point = std::min(std::max(made.zero_point, 0.0f), 255.0f);
  return made;
}

}  // namespace nnrt::cpu
