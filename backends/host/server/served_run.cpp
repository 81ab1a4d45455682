// A run requested by a client.
#include "backends/host/server/served_client.h"
#include "core/base/text.h"
#include "core/device/run_gate.h"
#include "core/platform/compat.h"

#include <algorithm>

namespace nnrt::host {
namespace {

bool is_known(const Shape& shape) {
  return std::ranges::all_of(shape, [](int64_t dimension) { return dimension >= 0; });
}

// Checks the assumptions that devices make about inputs.
Status check_inputs(const Graph& graph, std::span<const TensorView> inputs) {
  if (inputs.size() != graph.inputs.size())
    return invalid("The model has ", graph.inputs.size(), " inputs, not ", inputs.size(), ".");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorId id = graph.inputs[i];
    const Shape& shape = inputs[i].shape;
    const auto bytes = byte_size(graph.tensors[id].dtype, shape);
    if (inputs[i].memory == nullptr) return invalid("Input ", i, " has no memory.");
    if (!is_known(shape) || !compatible(graph.shapes[id], shape) || !bytes || *bytes > inputs[i].bytes)
      return invalid("Shape ", to_string(shape), " of input ", i, " does not match the model or its memory.");
    const auto first = size_t(std::ranges::find(graph.inputs, id) - graph.inputs.begin());
    if (inputs[first].shape != shape) return invalid("Inputs ", first, " and ", i, " are one tensor.");
    NNRT_TRY(inputs[i].memory->check_file());
  }
  return {};
}

Status check_outputs(const Graph& graph, std::span<const OutputSlot> outputs) {
  if (outputs.size() != graph.outputs.size())
    return invalid("The model has ", graph.outputs.size(), " outputs, not ", outputs.size(), ".");
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorView& view = outputs[i].view;
    if (view.memory == nullptr) {
      if (!outputs[i].may_grow) return invalid("Output ", i, " has no memory.");
      continue;
    }
    if (view.memory->read_only()) return invalid("Output ", i, " is in read-only memory.");
    NNRT_TRY(view.memory->check_file());
  }
  return {};
}

// A plugin may report any shapes for the client that fit the memory. But an output that goes to another
// device must have the shape that device was compiled for.
Status check_results(const Graph& graph, std::span<const OutputSlot> outputs, bool is_plugin) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorView& view = outputs[i].view;
    const TensorId id = graph.outputs[i];
    const bool fits = view.memory != nullptr && view.offset <= view.memory->bytes() &&
                      view.bytes <= view.memory->bytes() - view.offset;
    const auto bytes = byte_size(graph.tensors[id].dtype, view.shape);
    const bool is_trusted = is_plugin && !outputs[i].may_grow;
    const bool may_be_cut = is_trusted && compat::cuts_results_of_drivers();
    if (!fits || !is_known(view.shape) || !bytes || (*bytes > view.bytes && !may_be_cut) ||
        !(is_trusted || compatible(graph.shapes[id], view.shape))) {
      return Error{Code::failed, cat("The device reported an invalid shape for output ", i, ".")};
    }
  }
  return {};
}

Status run_model(PreparedModel& model, RunGate* gate, Priority priority, std::span<const TensorView> inputs,
                 std::span<OutputSlot> outputs, Deadline deadline) {
  std::optional<RunGate::Pass> pass;
  if (gate != nullptr) {
    NNRT_ASSIGN(RunGate::Pass entered, gate->enter(priority, deadline));
    pass.emplace(std::move(entered));
  }
  return model.run(inputs, outputs, deadline);
}

}  // namespace

Result<TensorView> ServedClient::view_of(const WireView& wire) {
  TensorView view{nullptr, wire.offset, wire.bytes, wire.shape};
  if (wire.memory == 0) return view;
  {
    const std::lock_guard lock(mutex_);
    view.memory = memories_.find(wire.memory);
  }
  if (view.memory == nullptr) return invalid("Memory (", wire.memory, ") does not exist.");
  if (wire.offset > view.memory->bytes() || wire.bytes > view.memory->bytes() - wire.offset)
    return invalid("A tensor is outside of its memory.");
  return view;
}

// The response includes the output shapes even if the run failed.
Status ServedClient::run(ByteReader& reader, Response& response, ByteWriter& writer) {
  NNRT_ASSIGN(const std::shared_ptr<Model> model, read_model(reader));
  const auto deadline = reader.get<Deadline>();
  const auto from = reader.get<std::vector<WireView>>(), to = reader.get<std::vector<WireView>>();
  NNRT_TRY(reader.status());
  std::vector<TensorView> inputs;
  for (const WireView& wire : from) {
    NNRT_ASSIGN(inputs.emplace_back(), view_of(wire));
  }
  std::vector<OutputSlot> outputs;
  for (const WireView& wire : to) {
    NNRT_ASSIGN(TensorView view, view_of(wire));
    outputs.push_back({std::move(view), wire.may_grow});
  }
  NNRT_TRY(check_inputs(*model->graph, inputs));
  NNRT_TRY(check_outputs(*model->graph, outputs));
  const std::vector<OutputSlot> before = outputs;
  Status status =
      run_model(*model->prepared, model->device->gate(), model->priority, inputs, outputs, deadline);
  if (status.ok()) status = check_results(*model->graph, outputs, model->device->is_plugin());
  const auto is_new = [&](size_t i) {
    return outputs[i].view.memory != nullptr && outputs[i].view.memory != before[i].view.memory;
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (is_new(i)) NNRT_TRY(attach(outputs[i].view.memory, response));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Shape& shape = outputs[i].view.shape;
    writer.list(std::span(shape).first(std::min(shape.size(), kMaxRank)));
    writer.put(uint8_t(is_new(i)));
  }
  return status;
}

}  // namespace nnrt::host
