#include "core/verify.h"

#include "core/infer.h"
#include "core/schema.h"
#include "core/text.h"
#include "core/validate.h"

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

// Walks the nodes in their order: what each tensor is at that point.
class Walk {
 public:
  explicit Walk(const Graph& graph) : graph_(graph), states_(graph.tensors.size(), State::missing) {
    for (TensorId id = 0; id < graph.tensors.size(); ++id) {
      if (graph.tensors[id].is_constant()) states_[id] = State::given;
    }
  }

  Status feed(std::span<const TensorId> inputs) {
    NNRT_TRY(check_tensors(inputs));
    for (const TensorId id : inputs) {
      if (graph_.tensors[id].role != 0 || graph_.tensors[id].is_constant())
        return invalid("Tensor ", id, " cannot be an input of the model.");
      states_[id] = State::given;
    }
    return {};
  }

  Status pass(const Node& node) {
    NNRT_TRY(check_operands("inputs", node.inputs));
    NNRT_TRY(check_operands("outputs", node.outputs));
    NNRT_TRY(check_structure(schema(node.op), graph_.tensors, node));
    for (const TensorId id : node.inputs) {
      if (states_[id] == State::missing) return invalid("Tensor ", id, " is read before it is written.");
    }
    for (const TensorId id : node.outputs) {
      if (states_[id] != State::missing) return invalid("Tensor ", id, " is written although it is there.");
      states_[id] = State::written;
    }
    return {};
  }

  Status take(std::span<const TensorId> outputs) const {
    NNRT_TRY(check_tensors(outputs));
    for (const TensorId id : outputs) {
      if (states_[id] != State::written) return invalid("No operation writes output tensor ", id, ".");
    }
    return {};
  }

 private:
  enum class State : uint8_t { missing, given, written };

  Status check_operands(std::string_view what, std::span<const TensorId> ids) const {
    NNRT_TRY(check_operand_count(what, ids.size()));
    return check_tensors(ids);
  }

  Status check_tensors(std::span<const TensorId> ids) const {
    for (const TensorId id : ids) {
      if (id >= states_.size()) return invalid("Tensor (", id, ") does not exist.");
    }
    return {};
  }

  const Graph& graph_;
  std::vector<State> states_;
};

}  // namespace

Status verify_part(Graph& graph) {
  for (TensorId id = 0; id < graph.tensors.size(); ++id) NNRT_TRY(check_tensor(id, graph.tensors[id]));
  Walk walk(graph);
  NNRT_TRY(walk.feed(graph.inputs));
  for (const Node& node : graph.nodes) {
    if (Status status = walk.pass(node); !status.ok())
      return std::move(status).error().during(cat("verifying ", name(node.op)));
  }
  NNRT_TRY(walk.take(graph.outputs));
  infer(graph);
  return {};
}

Status verify(Graph& graph, bool may_make_no_sense) {
  NNRT_TRY(check_operand_count("inputs", graph.inputs.size()));
  NNRT_TRY(check_operand_count("outputs", graph.outputs.size()));
  NNRT_TRY(verify_part(graph));
  for (const Node& node : graph.nodes) {
    if (node.diagnosis && !may_make_no_sense) return *node.diagnosis;
  }
  return {};
}

}  // namespace nnrt
