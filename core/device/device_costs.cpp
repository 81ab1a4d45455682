#include "core/device/device_costs.h"

#include "core/device/node_cost.h"
#include "core/schema/schema.h"

#include <algorithm>

namespace nnrt {
namespace {

constexpr double kPerMicrosecond = 1e3;  // for rates per nanosecond

}  // namespace

CostClass cost_class(const Node& node) {
  if (node.op == Op::depthwise_conv2d_native) return CostClass::depthwise;
  return schema(node.op).family == Family::gemm_conv ? CostClass::gemm : CostClass::other;
}

std::vector<Shape> min_shapes(const Graph& graph) {
  std::vector<Shape> shapes = graph.shapes;
  for (Shape& shape : shapes) std::replace(shape.begin(), shape.end(), kUnknown, int64_t{1});
  return shapes;
}

double node_gflops(const DeviceCosts& costs, const Graph& graph, const Node& node) {
  const auto kind = static_cast<size_t>(cost_class(node));
  const bool is_int8 = !node.inputs.empty() && !graph.tensors[node.inputs[0]].quant.empty();
  return costs.gflops[kind] * (is_int8 ? costs.int8_speedup[kind] : 1);
}

double node_microseconds(const DeviceCosts& costs, const Graph& graph, const Node& node,
                         std::span<const Shape> shapes) {
  const auto cost = cost_of(graph, node, shapes);
  if (!cost) return costs.node_us;
  const double gflops = node_gflops(costs, graph, node);
  const double computing = gflops > 0 ? double(cost->flops) / (gflops * kPerMicrosecond) : 0;
  const double moving = costs.gbytes > 0 ? double(cost->bytes) / (costs.gbytes * kPerMicrosecond) : 0;
  return costs.node_us + std::max(computing, moving);
}

double transfer_microseconds(const DeviceCosts& costs, const Graph& graph, TensorId id,
                             std::span<const Shape> shapes) {
  if (costs.transfer_gbytes <= 0) return 0;
  const auto bytes = byte_size(graph.tensors[id].dtype, shapes[id]);
  return double(bytes.value_or(0)) / (costs.transfer_gbytes * kPerMicrosecond);
}

}  // namespace nnrt
