#include "core/device/trace_node.h"

#include "core/base/text.h"
#include "core/device/node_cost.h"

namespace nnrt::trace {

std::string post_op_names(const Node& node) {
  std::string names;
  for (const PostOp& post_op : node.post_ops) names += cat('+', short_name(post_op.op));
  return names;
}

Event node_event(const Graph& graph, const Node& node, std::span<const Shape> shapes, std::string_view device,
                 bool with_cost) {
  const auto shape_of = [&](TensorId id) { return json_array(shapes[id]); };
  JsonObject args;
  args.add("operator", name(node.op));
  if (!node.post_ops.empty()) {
    args.add_json("post_ops", json_array(node.post_ops, [](const PostOp& post_op) {
                    return json_string(name(post_op.op));
                  }));
  }
  args.add("operation", node.position).add("device", device);
  if (!node.fused_positions.empty()) {
    args.add_json("fused", json_array(node.fused_positions, [](uint32_t n) { return std::to_string(n); }));
  }
  args.add("dtype", name(graph.tensors[node.outputs[0]].dtype));
  args.add_json("inputs", json_array(node.inputs, shape_of));
  args.add_json("outputs", json_array(node.outputs, shape_of));
  if (const auto cost = cost_of(graph, node, shapes); with_cost && cost) {
    args.add("flops", cost->flops).add("bytes", cost->bytes);
  }
  return {cat(short_name(node.op), post_op_names(node), ' ', shape_of(node.outputs[0])), std::move(args)};
}

}  // namespace nnrt::trace
