#include "backends/vulkan/half_graph.h"

#include "backends/vulkan/lowering.h"
#include "core/half.h"
#include "core/infer.h"
#include "core/validate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace nnrt::vulkan {
namespace {

constexpr float kLargest = 65504;
constexpr float kSmallest = 0x1p-14f;  // below, half has fewer digits

// Magnitudes of a constant's finite elements, zeros left out.
struct Range {
  float least = std::numeric_limits<float>::infinity(), most = 0;
};

float element(ByteView floats, size_t i) {
  float value;
  std::memcpy(&value, floats.data() + i * sizeof(float), sizeof(float));
  return value;
}

Range range_of(ByteView floats) {
  Range range;
  for (size_t i = 0; i < floats.size() / sizeof(float); ++i) {
    const float magnitude = std::fabs(element(floats, i));
    if (!std::isfinite(magnitude) || magnitude == 0) continue;
    range.least = std::min(range.least, magnitude);
    range.most = std::max(range.most, magnitude);
  }
  return range;
}

// Small elements matter only where a kernel divides by them: elsewhere they may vanish beside the largest.
bool fits(const Range& range, bool divisor) {
  const float significant = divisor ? range.least : range.most;
  return range.most <= kLargest && (significant >= kSmallest || range.most == 0);
}

// Inputs by which kernels divide: the divisor, and BATCH_NORM's variance.
bool is_divisor(Op op, size_t input) {
  return (op == Op::div && input == 1) || (op == Op::batch_norm && input == 4);
}

std::shared_ptr<const Bytes> to_halves(ByteView floats) {
  const size_t count = floats.size() / sizeof(float);
  auto halves = std::make_shared<Bytes>(count * sizeof(Half));
  for (size_t i = 0; i < count; ++i) {
    const Half half = to_half(element(floats, i));
    std::memcpy(halves->data() + i * sizeof(Half), &half, sizeof(Half));
  }
  return halves;
}

// What stands in the attributes and is stored like an element: PAD's constant.
bool attributes_fit(const Attrs& attrs) {
  if (!attrs.has(Attr::constant_value)) return true;
  const double value = attrs.real(Attr::constant_value);
  return !std::isfinite(value) || std::fabs(value) <= double(kLargest);
}

// The tensors with the same numbers, each a half that may be one.
Graph all_in_half(const Graph& graph) {
  Graph halves{graph.tensors, {}, {}, {}, graph.shapes};
  for (Tensor& tensor : halves.tensors) {
    if (tensor.dtype == DType::f32 && !tensor.is_constant()) tensor.dtype = DType::f16;
  }
  for (const Node& node : graph.nodes) {
    for (const TensorId id : node.inputs) {
      Tensor& tensor = halves.tensors[id];
      if (tensor.dtype != DType::f32 || !fits(range_of(*tensor.data), false)) continue;
      tensor.dtype = DType::f16;
      tensor.data = to_halves(*tensor.data);
    }
  }
  return halves;
}

// Rewrites a graph node by node. A FLOAT32 tensor exists as it is, as a half, or in both forms.
class HalfPass {
 public:
  HalfPass(const Graph& graph, const DevicePlan& plan)
      : plan_(plan),
        graph_(graph),
        all_halves_(all_in_half(graph)),
        values_(constant_values(all_halves_)),
        exists_as_is_(graph.tensors.size(), false),
        is_output_(graph.tensors.size(), false),
        halves_(graph.tensors.size()) {
    for (TensorId id = 0; id < graph.tensors.size(); ++id) {
      exists_as_is_[id] = !is_float(id) || graph.tensors[id].is_constant();
    }
    for (const TensorId id : graph.inputs) exists_as_is_[id] = true;
    for (const TensorId id : graph.outputs) is_output_[id] = true;
    graph_.nodes.clear();
    for (const Node& node : graph.nodes) rewrite(node);
  }

  Graph take() { return std::move(graph_); }

 private:
  bool is_float(TensorId id) const { return graph_.tensors[id].dtype == DType::f32; }

  void rewrite(const Node& node) {
    Node moved = node;
    if (gains_by_half(node) && computes_half(node)) {
      for (TensorId& id : moved.inputs) id = half_of(id, node.position);
      for (TensorId& id : moved.outputs) id = is_float(id) ? add_half(id) : id;
    } else {
      for (const TensorId id : node.inputs) need_as_is(id, node.position);
      for (const TensorId id : node.outputs) exists_as_is_[id] = true;
    }
    graph_.nodes.push_back(std::move(moved));
    for (const TensorId id : node.outputs) {
      if (is_output_[id]) need_as_is(id, node.position);
    }
  }

  // A node that writes no FLOAT32 stores nothing as half; it reads halves where there is nothing else.
  bool gains_by_half(const Node& node) const {
    if (std::ranges::any_of(node.outputs, [&](TensorId id) { return is_float(id); })) return true;
    const auto is_half_only = [&](TensorId id) { return !exists_as_is_[id]; };
    const auto is_as_good = [&](TensorId id) {
      return !is_float(id) || graph_.tensors[id].is_constant() || is_half_only(id);
    };
    return std::ranges::any_of(node.inputs, is_half_only) && std::ranges::all_of(node.inputs, is_as_good);
  }

  bool computes_half(const Node& node) const {
    const Lowering* rules = lowering(node.op);
    if (rules == nullptr || !attributes_fit(node.attrs) || !constants_fit(node)) return false;
    const NodeView view(all_halves_, node, all_halves_.shapes, values_);
    return infer_node(view).ok() && !rules->refuse(view, plan_);
  }

  bool constants_fit(const Node& node) const {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      if (all_halves_.tensors[id].dtype == DType::f32) return false;
      if (!is_float(id) || !graph_.tensors[id].is_constant() || !is_divisor(node.op, i)) continue;
      if (!fits(range_of(*graph_.tensors[id].data), true)) return false;
    }
    return true;
  }

  TensorId half_of(TensorId id, uint32_t position) {
    if (!is_float(id) || halves_[id]) return halves_[id].value_or(id);
    const TensorId half = add_half(id);
    if (!graph_.tensors[id].is_constant()) add_cast(id, half, position);
    return half;
  }

  void need_as_is(TensorId id, uint32_t position) {
    if (!exists_as_is_[id]) add_cast(*halves_[id], id, position);
    exists_as_is_[id] = true;
  }

  TensorId add_half(TensorId id) {
    Tensor tensor = all_halves_.tensors[id];
    tensor.name += " as half";
    halves_[id] = add(std::move(tensor), graph_.shapes[id]);
    return *halves_[id];
  }

  void add_cast(TensorId from, TensorId to, uint32_t position) {
    graph_.nodes.push_back({Op::cast, {from, type_of(to)}, {to}, {}, position, {}});
  }

  // The input by which CAST is told the dtype of its output.
  TensorId type_of(TensorId id) {
    const auto code = int32_t(graph_.tensors[id].dtype);
    std::optional<TensorId>& known = graph_.tensors[id].dtype == DType::f16 ? to_half_ : to_float_;
    if (!known) {
      const auto bytes = std::as_bytes(std::span(&code, 1));
      Tensor tensor{"Type of a cast", DType::i32, Format::none, {1}, {}, 0, {}};
      tensor.data = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
      known = add(std::move(tensor), {1});
    }
    return *known;
  }

  TensorId add(Tensor tensor, Shape shape) {
    graph_.tensors.push_back(std::move(tensor));
    graph_.shapes.push_back(std::move(shape));
    return TensorId(graph_.tensors.size() - 1);
  }

  const DevicePlan& plan_;
  Graph graph_;
  const Graph all_halves_;
  const std::vector<const std::byte*> values_;
  std::vector<bool> exists_as_is_, is_output_;   // by the tensors of the original graph
  std::vector<std::optional<TensorId>> halves_;  // likewise
  std::optional<TensorId> to_half_, to_float_;
};

}  // namespace

Graph with_halves(const Graph& graph, const DevicePlan& plan) { return HalfPass(graph, plan).take(); }

}  // namespace nnrt::vulkan
