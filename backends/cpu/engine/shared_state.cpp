#include "backends/cpu/engine/shared_state.h"

#include "core/schema/schema.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

// The tensor and its aliases.
std::vector<bool> tensors_at(const Program& program, TensorId tensor) {
  const Graph& graph = *program.graph;
  std::vector<bool> is_there(graph.tensors.size(), false);
  is_there[tensor] = true;
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    if (program.steps[node].is<Program::View>() && is_there[graph.nodes[node].inputs[0]])
      is_there[graph.nodes[node].outputs[0]] = true;
  }
  return is_there;
}

// Returns whether the kernel first copies input 0 entirely.
bool begins_with_copy(const Node& node) {
  return (node.op == Op::scatter_nd_update || node.op == Op::scatter_elements) && node.post_ops.empty();
}

// Returns whether the node may write its output over this input.
bool may_write_over(const Graph& graph, const Node& node, size_t input) {
  const TensorId id = node.inputs[input];
  if (!is_static(graph.shapes[id])) return false;
  if (begins_with_copy(node)) return input == 0;
  return may_overwrite(graph, node, id);
}

}  // namespace

bool may_overwrite(const Graph& graph, const Node& node, TensorId input) {
  const bool chooses = node.op == Op::where || node.op == Op::select;
  if ((!schema(node.op).is_elementwise() && !chooses) || !node.post_ops.empty()) return false;
  const TensorId output = node.outputs[0];
  return graph.shapes[input] == graph.shapes[output] &&
         graph.tensors[input].dtype == graph.tensors[output].dtype;
}

std::vector<TensorId> other_sources(const Program& program, NodeId id) {
  const Program::Step& step = program.steps[id];
  std::vector<TensorId> sources;
  const auto add_inputs = [&](NodeId node) {
    if (node == kNowhere) return;
    const std::vector<TensorId>& inputs = program.graph->nodes[node].inputs;
    sources.insert(sources.end(), inputs.begin(), inputs.end());
  };
  if (const auto* const tiles = std::get_if<Program::RowTiles>(&step.method)) {
    add_inputs(tiles->expand);
    add_inputs(tiles->depthwise);
  } else if (const auto* const residual = std::get_if<Program::Residual>(&step.method)) {
    add_inputs(residual->convolution);
  } else if (const auto* const scaled = std::get_if<Program::ScaledProduct>(&step.method)) {
    add_inputs(scaled->product);
    for (const auto& of : {scaled->minus, scaled->factors})
      sources.insert(sources.end(), of.begin(), of.end());
  } else if (const auto* const caches = std::get_if<Program::CacheAppends>(&step.method)) {
    for (const NodeId concat : caches->concats) add_inputs(concat);
  } else if (const auto* const table = std::get_if<Program::Table>(&step.method)) {
    sources.push_back(table->source);
  }
  return sources;
}

std::vector<NodeId> find_last_readers(const Program& program) {
  const Graph& graph = *program.graph;
  std::vector<NodeId> last(graph.tensors.size(), 0);
  for (NodeId node = NodeId(graph.nodes.size()); node-- > 0;) {
    NodeId reader = node;
    if (program.steps[node].is<Program::View>())
      reader = std::max(reader, last[graph.nodes[node].outputs[0]]);
    for (const TensorId id : graph.nodes[node].inputs) last[id] = std::max(last[id], reader);
    for (const TensorId id : other_sources(program, node)) last[id] = std::max(last[id], node);
  }
  return last;
}

bool may_share(const Program& program, TensorId input, TensorId output) {
  const Graph& graph = *program.graph;
  const auto writes = [&](const Node& node) {
    return std::ranges::find(node.outputs, output) != node.outputs.end();
  };
  const auto found = std::ranges::find_if(graph.nodes, writes);
  if (found == graph.nodes.end()) return false;
  const auto writer = NodeId(found - graph.nodes.begin());
  if (program.steps[writer].is<Program::View>()) return may_share(program, input, found->inputs[0]);
  const NodeId last = program.last_readers[input];
  if (last != writer) return last < writer;
  // Later tiles read rows that earlier ones would overwrite, and ATTENTION clears its result before
  // it appends.
  const Program::Step& step = program.steps[writer];
  if (step.includes_nodes() || step.is<Program::CacheAppends>()) return false;
  const std::vector<bool> is_there = tensors_at(program, input);
  for (size_t i = 0; i < found->inputs.size(); ++i)
    if (is_there[found->inputs[i]] && !may_write_over(graph, *found, i)) return false;
  return true;
}

}  // namespace nnrt::cpu
