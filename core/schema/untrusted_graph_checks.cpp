#include "core/schema/untrusted_graph_checks.h"

#include "core/base/text.h"
#include "core/graph/data_flow.h"
#include "core/schema/infer.h"
#include "core/schema/schema.h"
#include "core/schema/validate.h"

namespace nnrt {
namespace {

Status check_tensor(TensorId id, const Tensor& tensor) {
  NNRT_TRY(check_role(id, tensor.role));
  NNRT_TRY(check_dimensions(tensor));
  if (tensor.quant.scales.size() != tensor.quant.zero_points.size())
    return invalid("Tensor ", id, " has ", tensor.quant.scales.size(), " scales and ",
                   tensor.quant.zero_points.size(), " zero points.");
  if (!tensor.is_constant()) return {};
  const auto bytes = byte_size(tensor.dtype, tensor.shape);
  if (tensor.dtype != DType::unknown && bytes == tensor.data->size()) return {};
  return invalid("Tensor ", id, " cannot have ", tensor.data->size(), " bytes of data.");
}

// In order, like the client's calls.
Status check_node(const Graph& graph, const Node& node, DataFlow& flow) {
  NNRT_TRY(check_operand_count("inputs", node.inputs.size()));
  NNRT_TRY(check_operand_count("outputs", node.outputs.size()));
  NNRT_TRY(flow.check_exist(node.inputs));
  NNRT_TRY(flow.check_exist(node.outputs));
  NNRT_TRY(check_operation(schema(node.op), graph.tensors, node));
  return flow.pass(node);
}

}  // namespace

Status check_untrusted_subgraph(Graph& graph) {
  for (TensorId id = 0; id < graph.tensors.size(); ++id) NNRT_TRY(check_tensor(id, graph.tensors[id]));
  DataFlow flow(graph);
  NNRT_TRY(flow.feed(graph.inputs));
  for (const Node& node : graph.nodes) {
    if (Status status = check_node(graph, node, flow); !status.ok())
      return std::move(status).error().during(cat("verifying ", name(node.op)));
  }
  NNRT_TRY(flow.take(graph.outputs));
  infer(graph);
  return {};
}

Status check_untrusted_graph(Graph& graph, bool may_make_no_sense) {
  NNRT_TRY(check_operand_count("inputs", graph.inputs.size()));
  NNRT_TRY(check_operand_count("outputs", graph.outputs.size()));
  NNRT_TRY(check_untrusted_subgraph(graph));
  for (const Node& node : graph.nodes) {
    if (node.diagnosis && !may_make_no_sense) return *node.diagnosis;
  }
  return {};
}

}  // namespace nnrt
