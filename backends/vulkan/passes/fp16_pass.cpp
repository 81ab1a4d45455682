#include "backends/vulkan/passes/fp16_pass.h"

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/data_movement/copy_commands.h"
#include "backends/vulkan/lower/elementwise/constants_as_float.h"
#include "core/base/element_at.h"
#include "core/passes/cast_inserter.h"
#include "core/schema/infer.h"
#include "core/schema/validate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace nnrt::vulkan {
namespace {

constexpr float kLargest = 65504;
constexpr float kSmallest = 0x1p-14f;  // smallest normal fp16

// Range of the magnitudes of a constant's finite nonzero elements.
struct Range {
  float min_value = std::numeric_limits<float>::infinity(), max_value = 0;
};

Range range_of(ByteView floats) {
  Range range;
  for (size_t i = 0; i < floats.size() / sizeof(float); ++i) {
    const float magnitude = std::fabs(element_at<float>(floats, i));
    if (!std::isfinite(magnitude) || magnitude == 0) continue;
    range.min_value = std::min(range.min_value, magnitude);
    range.max_value = std::max(range.max_value, magnitude);
  }
  return range;
}

// Underflow only matters for divisors; other small elements are negligible beside the largest one.
bool fits(const Range& range, bool divisor) {
  const float significant = divisor ? range.min_value : range.max_value;
  return range.max_value <= kLargest && (significant >= kSmallest || range.max_value == 0);
}

// Inputs that kernels divide by: DIV's divisor and BATCH_NORM's variance.
bool is_divisor(Op op, size_t input) {
  return (op == Op::div && input == 1) || (op == Op::batch_norm && input == 4);
}

// Checks attributes that are used like elements: PAD's constant and RESIZE's value outside of the image.
bool attributes_fit(const Attrs& attrs) {
  for (const Attr attr : {Attr::constant_value, Attr::value}) {
    if (!attrs.has(attr)) continue;
    const double value = attrs.real(attr);
    if (std::isfinite(value) && std::fabs(value) > double(kLargest)) return false;
  }
  return true;
}

// An fp16 coordinate would be off by a good part of an element.
bool reads_coordinates(Op op) {
  return op == Op::grid_sample || op == Op::roi_align || op == Op::roi_pooling ||
         op == Op::axis_aligned_bbox_transform;
}

// The graph's tensors as fp16, wherever allowed.
Graph all_in_fp16(const Graph& graph) {
  Graph fp16{graph.tensors, {}, {}, {}, graph.shapes};
  for (Tensor& tensor : fp16.tensors) {
    if (tensor.dtype == DType::f32 && !tensor.is_constant()) tensor.dtype = DType::f16;
  }
  for (const Node& node : graph.nodes) {
    for (const TensorId id : node.inputs) {
      Tensor& tensor = fp16.tensors[id];
      if (tensor.dtype != DType::f32 || !fits(range_of(*tensor.data), false)) continue;
      tensor.dtype = DType::f16;
      tensor.data = std::make_shared<const Bytes>(floats_as_fp16(*tensor.data));
    }
  }
  return fp16;
}

// Rewrites a graph node by node. A FLOAT32 tensor may exist as FLOAT32, as fp16, or as both.
class Fp16Pass {
 public:
  Fp16Pass(const Graph& graph, const DevicePlan& plan)
      : plan_(plan),
        graph_(graph),
        casts_(graph_),
        all_fp16_(all_in_fp16(graph)),
        values_(constant_values(all_fp16_)),
        exists_as_is_(graph.tensors.size(), false),
        is_output_(graph.tensors.size(), false),
        reads_(graph.tensors.size()),
        fp16_variables_(graph.tensors.size()) {
    for (TensorId id = 0; id < graph.tensors.size(); ++id) {
      exists_as_is_[id] = !is_float(id) || graph.tensors[id].is_constant();
    }
    for (const TensorId id : graph.inputs) exists_as_is_[id] = true;
    for (const TensorId id : graph.outputs) is_output_[id] = true;
    for (const Node& node : graph.nodes)
      for (const TensorId id : node.inputs) ++reads_[id];
    find_last_renames(graph);
    graph_.nodes.clear();
    for (const Node& node : graph.nodes) rewrite(node);
  }

  Graph take() { return std::move(graph_); }

 private:
  bool is_float(TensorId id) const { return graph_.tensors[id].dtype == DType::f32; }

  void rewrite(const Node& node) {
    Node rewritten = node;
    if (!renames_edge(node) && gains_by_fp16(node) && computes_in_fp16(node)) {
      for (TensorId& id : rewritten.inputs) id = fp16_of(id, node.position);
      for (TensorId& id : rewritten.outputs) id = is_float(id) ? add_fp16(id) : id;
    } else {
      for (const TensorId id : node.inputs) need_as_is(id, node.position);
      for (const TensorId id : node.outputs) exists_as_is_[id] = true;
    }
    graph_.nodes.push_back(std::move(rewritten));
    for (const TensorId id : node.outputs) {
      if (is_output_[id]) need_as_is(id, node.position);
    }
  }

  // A node without FLOAT32 outputs stores no fp16, and reads fp16 only if there is no other form.
  bool gains_by_fp16(const Node& node) const {
    if (std::ranges::any_of(node.outputs, [&](TensorId id) { return is_float(id); })) return true;
    const auto is_fp16_only = [&](TensorId id) { return !exists_as_is_[id]; };
    const auto is_as_good = [&](TensorId id) {
      return !is_float(id) || graph_.tensors[id].is_constant() || is_fp16_only(id);
    };
    return std::ranges::any_of(node.inputs, is_fp16_only) && std::ranges::all_of(node.inputs, is_as_good);
  }

  // Finds tensors whose only use is to become a graph output in another shape.
  void find_last_renames(const Graph& graph) {
    becomes_output_.resize(graph.tensors.size());
    for (TensorId id = 0; id < graph.tensors.size(); ++id)
      becomes_output_[id] = is_output_[id] && reads_[id] == 0;
    for (size_t i = graph.nodes.size(); i-- > 0;) {
      const Node& node = graph.nodes[i];
      if (!moves_nothing(node) || !becomes_output_[node.outputs[0]]) continue;
      const TensorId from = node.inputs[0];
      becomes_output_[from] = reads_[from] == 1 && !is_output_[from];
    }
  }

  // A reshape of a graph input, or one that makes a graph output: free in FLOAT32, and the node on the other
  // side can read or write FLOAT32.
  bool renames_edge(const Node& node) const {
    if (!moves_nothing(node)) return false;
    const TensorId from = node.inputs[0], to = node.outputs[0];
    const bool is_constant = graph_.tensors[from].is_constant();
    const bool is_input = exists_as_is_[from] && !fp16_variables_[from] && !is_constant && reads_[from] == 1;
    return is_input || becomes_output_[to];
  }

  // RESHAPE and the like, and TRANSPOSE of dimensions of 1. Assumes movement if shapes are unknown.
  bool moves_nothing(const Node& node) const {
    if (!is_data_movement(node.op) || node.outputs.size() != 1 || node.diagnosis) return false;
    const NodeView view(all_fp16_, node, all_fp16_.shapes, values_);
    const auto is_known = [&](TensorId id) { return is_static(graph_.shapes[id]); };
    if (!std::ranges::all_of(node.inputs, is_known) || !is_known(node.outputs[0])) return false;
    if (!infer_node(view).ok()) return false;
    const Result<CopyProgram> program = copy_program(view);
    return program.ok() && is_whole(view, program.value());
  }

  bool computes_in_fp16(const Node& node) const {
    const Lowering* rules = lowering(node.op);
    if (rules == nullptr || reads_coordinates(node.op)) return false;
    if (!attributes_fit(node.attrs) || !constants_fit(node)) return false;
    const NodeView view(all_fp16_, node, all_fp16_.shapes, values_);
    return infer_node(view).ok() && !rules->refuse(view, plan_);
  }

  bool constants_fit(const Node& node) const {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      if (all_fp16_.tensors[id].dtype == DType::f32) return false;
      if (!is_float(id) || !graph_.tensors[id].is_constant() || !is_divisor(node.op, i)) continue;
      if (!fits(range_of(*graph_.tensors[id].data), true)) return false;
    }
    return true;
  }

  TensorId fp16_of(TensorId id, uint32_t position) {
    if (!is_float(id) || fp16_variables_[id]) return fp16_variables_[id].value_or(id);
    const TensorId half = add_fp16(id);
    if (!graph_.tensors[id].is_constant()) casts_.add_cast(id, half, position);
    return half;
  }

  void need_as_is(TensorId id, uint32_t position) {
    if (!exists_as_is_[id]) casts_.add_cast(*fp16_variables_[id], id, position);
    exists_as_is_[id] = true;
  }

  TensorId add_fp16(TensorId id) {
    Tensor tensor = all_fp16_.tensors[id];
    tensor.name += kFp16FormSuffix;
    fp16_variables_[id] = casts_.add_tensor(std::move(tensor), graph_.shapes[id]);
    return *fp16_variables_[id];
  }

  const DevicePlan& plan_;
  Graph graph_;
  CastInserter casts_;
  const Graph all_fp16_;
  const std::vector<const std::byte*> values_;
  std::vector<bool> exists_as_is_, is_output_;  // per tensor of the original graph, as are the next three
  std::vector<bool> becomes_output_;
  std::vector<size_t> reads_;
  std::vector<std::optional<TensorId>> fp16_variables_;
};

}  // namespace

GraphPtr with_distinct_names(const GraphPtr& graph) {
  const auto is_taken = [](const Tensor& tensor) { return tensor.name.ends_with(kFp16FormSuffix); };
  if (std::ranges::none_of(graph->tensors, is_taken)) return graph;
  auto renamed = std::make_shared<Graph>(*graph);
  for (Tensor& tensor : renamed->tensors)
    if (is_taken(tensor)) tensor.name += '.';
  return renamed;
}

bool is_fp16_form(const Tensor& tensor) {
  return tensor.dtype == DType::f16 && tensor.name.ends_with(kFp16FormSuffix);
}

Graph with_fp16(const Graph& graph, const DevicePlan& plan) { return Fp16Pass(graph, plan).take(); }

}  // namespace nnrt::vulkan
