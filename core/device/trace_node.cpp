#include "core/device/trace_node.h"

#include "core/base/text.h"
#include "core/device/node_cost.h"

namespace nnrt::trace {

namespace {

struct Group {  // a node, and those that the same kernel computes before it
  const Graph& graph;
  const Node& node;
  std::span<const Shape> shapes;
  std::span<const NodeId> included;

  // Of all of them; tensors between them are neither read nor written.
  std::optional<Cost> cost() const {
    std::optional<Cost> sum = cost_of(graph, node, shapes);
    for (const NodeId id : included) {
      const std::optional<Cost> cost = cost_of(graph, graph.nodes[id], shapes);
      if (!sum || !cost) return {};
      sum->flops += cost->flops;
      sum->bytes += cost->bytes;
      for (const TensorId output : graph.nodes[id].outputs)
        sum->bytes -= 2 * byte_size(graph.tensors[output].dtype, shapes[output]).value_or(0);
    }
    return sum;
  }

  // Client operations that are computed besides `node.position`.
  std::vector<uint32_t> other_positions() const {
    std::vector<uint32_t> positions = node.fused_positions;
    for (const NodeId id : included) {
      const Node& other = graph.nodes[id];
      positions.push_back(other.position);
      positions.insert(positions.end(), other.fused_positions.begin(), other.fused_positions.end());
    }
    return positions;
  }
};

}  // namespace

std::string post_op_names(const Node& node) {
  std::string names;
  for (const PostOp& post_op : node.post_ops) names += cat('+', short_name(post_op.op));
  return names;
}

Event node_event(const Graph& graph, const Node& node, std::span<const Shape> shapes, std::string_view device,
                 const NodeEventOptions& options) {
  const Group group{graph, node, shapes, options.included};
  const auto shape_of = [&](TensorId id) { return json_array(shapes[id]); };
  std::string before;
  for (const NodeId id : options.included) before += cat(short_name(graph.nodes[id].op), '+');
  JsonObject args;
  args.add("operator", name(node.op));
  if (!options.included.empty()) {
    args.add_json("included", json_array(options.included,
                                         [&](NodeId id) { return json_string(name(graph.nodes[id].op)); }));
  }
  if (!node.post_ops.empty()) {
    args.add_json("post_ops", json_array(node.post_ops, [](const PostOp& post_op) {
                    return json_string(name(post_op.op));
                  }));
  }
  args.add("operation", node.position).add("device", device);
  if (const std::vector<uint32_t> others = group.other_positions(); !others.empty())
    args.add_json("fused", json_array(others, [](uint32_t n) { return std::to_string(n); }));
  args.add("dtype", name(graph.tensors[node.outputs[0]].dtype));
  args.add_json("inputs", json_array(node.inputs, shape_of));
  args.add_json("outputs", json_array(node.outputs, shape_of));
  if (const auto cost = options.with_cost ? group.cost() : std::nullopt)
    args.add("flops", cost->flops).add("bytes", cost->bytes);
  return {cat(before, short_name(node.op), post_op_names(node), ' ', shape_of(node.outputs[0])),
          std::move(args)};
}

}  // namespace nnrt::trace
