#include "core/graph/data_flow.h"

#include "core/base/text.h"

namespace nnrt {

DataFlow::DataFlow(const Graph& graph) : graph_(graph), states_(graph.tensors.size(), State::missing) {
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    if (graph.tensors[id].is_constant()) states_[id] = State::given;
  }
}

Status DataFlow::check_exist(std::span<const TensorId> ids) const {
  for (const TensorId id : ids) {
    if (id >= states_.size()) return invalid("Tensor (", id, ") does not exist.");
  }
  return {};
}

Status DataFlow::feed(std::span<const TensorId> inputs) {
  NNRT_TRY(check_exist(inputs));
  for (const TensorId id : inputs) {
    if (graph_.tensors[id].role != 0 || graph_.tensors[id].is_constant())
      return invalid("Tensor ", id, " cannot be an input of the model.");
    states_[id] = State::given;
  }
  return {};
}

Status DataFlow::pass(const Node& node) {
  NNRT_TRY(check_exist(node.inputs));
  NNRT_TRY(check_exist(node.outputs));
  for (const TensorId id : node.inputs) {
    if (states_[id] == State::missing) return invalid("Tensor ", id, " is read before it is written.");
  }
  for (const TensorId id : node.outputs) {
    if (states_[id] != State::missing) return invalid("Tensor ", id, " is written, but already has a value.");
    states_[id] = State::written;
  }
  return {};
}

Status DataFlow::take(std::span<const TensorId> outputs) const {
  NNRT_TRY(check_exist(outputs));
  for (const TensorId id : outputs) {
    if (states_[id] != State::written) return invalid("No operation writes output tensor ", id, ".");
  }
  return {};
}

}  // namespace nnrt
