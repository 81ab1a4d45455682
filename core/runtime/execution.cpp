#include "core/runtime/execution.h"

#include "core/base/text.h"
#include "core/device/residence.h"
#include "core/platform/compat.h"
#include "core/platform/counters.h"
#include "core/platform/trace_run.h"
#include "core/schema/infer.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace nnrt {
namespace {

bool all_static(const Graph& graph) {
  return std::all_of(graph.inputs.begin(), graph.inputs.end(),
                     [&](TensorId id) { return is_static(graph.shapes[id]); });
}

std::vector<Shape> shapes_of(std::span<const TensorId> tensors, const std::vector<Shape>& shapes) {
  std::vector<Shape> result;
  for (const TensorId id : tensors) result.push_back(shapes[id]);
  return result;
}

trace::Event partition_event(const CompiledModel& model, const CompiledModel::Partition& partition) {
  JsonObject args;
  args.add("partition", &partition - model.partitions.data()).add("device", partition.device->info().name);
  args.add("nodes", partition.nodes.size());
  return {"partition", std::move(args)};
}

void narrow(DimRange& range, const DimRange& accepted) {
  const size_t rank = std::min(range.smallest.size(), accepted.smallest.size());
  for (size_t i = 0; i < rank; ++i) {
    range.smallest[i] = std::max(range.smallest[i], accepted.smallest[i]);
    range.largest[i] = std::min(range.largest[i], accepted.largest[i]);
  }
}

Error wrong_shape(std::string_view side, size_t index, const Shape& shape, const Tensor& tensor) {
  return invalid("Shape ", to_string(shape), " of ", side, " ", index, " does not match the model's ",
                 to_string(tensor.shape), ".");
}

Status check_dtype(std::string_view side, size_t index, const TensorView& view, const Tensor& tensor) {
  if (view.dtype == DType::unknown || view.dtype == tensor.dtype) return {};
  return invalid("Data type of ", side, " ", index, " (", name(view.dtype), ") is not the model's (",
                 name(tensor.dtype), ").");
}

Status check_file(std::string_view side, size_t index, const TensorView& view) {
  Status status = view.memory->check_file();
  if (status.ok()) return status;
  return std::move(status).error().during(cat("checking ", side, " ", index));
}

}  // namespace

Execution::Execution(std::shared_ptr<const CompiledModel> model)
    : model_(std::move(model)),
      is_static_(all_static(*model_->lowered)),
      lanes_(model_->overlaps ? std::make_unique<ParallelExecutor>(*model_) : nullptr),
      edges_(model_->lowered->tensors.size(), {{}, true}) {
  const Graph& graph = *model_->lowered;
  if (is_static_)
    last_shapes_ = std::make_shared<const RunShapes>(
        RunShapes{shapes_of(graph.inputs, graph.shapes), shapes_of(graph.outputs, graph.shapes)});
}

Result<DimRange> Execution::input_range(size_t index) const {
  DimRange range;
  const size_t max = max_unknown_dimension(index);
  for (const int64_t dimension : model_->graph->tensors[model_->graph->inputs[index]].shape) {
    const bool is_fixed = dimension != kUnknown;
    range.smallest.push_back(is_fixed ? static_cast<size_t>(dimension) : 1);
    range.largest.push_back(is_fixed ? static_cast<size_t>(dimension) : max);
  }
  const TensorId id = model_->graph->inputs[index];
  for (const CompiledModel::Partition& partition : model_->partitions) {
    const auto position = std::find(partition.inputs.begin(), partition.inputs.end(), id);
    if (position == partition.inputs.end()) continue;
    NNRT_ASSIGN(const std::vector<DimRange> accepted, partition.model->input_ranges());
    if (!accepted.empty()) narrow(range, accepted[static_cast<size_t>(position - partition.inputs.begin())]);
  }
  return range;
}

// Upper bound of an unknown dimension, assuming that the others are 1.
size_t Execution::max_unknown_dimension(size_t index) const {
  const TensorId id = model_->graph->inputs[index];
  const Tensor& tensor = model_->graph->tensors[id];
  uint64_t bytes = std::numeric_limits<uint64_t>::max();
  for (const CompiledModel::Partition& partition : model_->partitions) {
    const bool reads =
        std::find(partition.inputs.begin(), partition.inputs.end(), id) != partition.inputs.end();
    if (reads) bytes = std::min(bytes, partition.device->max_tensor_bytes());
  }
  uint64_t max = bytes / std::max<size_t>(size_of(tensor.dtype), 1);
  for (const int64_t dimension : tensor.shape) {
    if (dimension > 0) max /= static_cast<uint64_t>(dimension);
  }
  return std::clamp<uint64_t>(max, 1, std::numeric_limits<int32_t>::max());
}

// HDI does not support dimensions of 0.
bool Execution::supports_empty_inputs() const {
  return compat::supports_empty_inputs() &&
         std::ranges::none_of(model_->partitions,
                              [](const auto& partition) { return partition.device->is_plugin(); });
}

// Compares what the outputs' owner says of them. Then their shapes are unknown until they are inferred.
Status Execution::check_described(std::span<OutputSlot> outputs) const {
  Status status;
  for (size_t i = 0; i < outputs.size(); ++i) {
    TensorView& view = outputs[i].view;
    const Tensor& tensor = model_->graph->tensors[model_->graph->outputs[i]];
    const bool is_described = view.dtype != DType::unknown;
    if (status.ok()) status = check_dtype("output", i, view, tensor);
    if (status.ok() && is_described && !model_->cuts_results() && !compatible(tensor.shape, view.shape))
      status = wrong_shape("output", i, view.shape, tensor);
    view.shape = {kUnknown};
    view.dtype = DType::unknown;
  }
  return status;
}

Status Execution::check_shape(size_t input, const Shape& shape) const {
  const Tensor& tensor = model_->graph->tensors[model_->graph->inputs[input]];
  if (!compatible(tensor.shape, shape)) return wrong_shape("input", input, shape, tensor);
  const int64_t min = supports_empty_inputs() ? 0 : 1;
  const int64_t max =
      is_static_ ? std::numeric_limits<int64_t>::max() : int64_t(max_unknown_dimension(input));
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < min || (i < tensor.shape.size() && tensor.shape[i] == kUnknown && shape[i] > max)) {
      return invalid("Shape ", to_string(shape), " of input ", input, " has a dimension (", shape[i],
                     ") outside [", min, ", ", max, "].");
    }
  }
  if (byte_size(tensor.dtype, shape)) return {};
  return invalid("Shape ", to_string(shape), " of input ", input, " has too many bytes.");
}

Status Execution::check_inputs(std::span<const TensorView> inputs) const {
  const Graph& graph = *model_->graph;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& tensor = graph.tensors[graph.inputs[i]];
    NNRT_TRY(check_dtype("input", i, inputs[i], tensor));
    NNRT_TRY(check_shape(i, inputs[i].shape));
    const size_t bytes = *byte_size(tensor.dtype, inputs[i].shape);
    const auto first =
        std::find(graph.inputs.begin(), graph.inputs.end(), graph.inputs[i]) - graph.inputs.begin();
    if (inputs[i].shape != inputs[static_cast<size_t>(first)].shape) {
      return invalid("Inputs ", first, " and ", i, " are one tensor, but have the shapes ",
                     to_string(inputs[static_cast<size_t>(first)].shape), " and ", to_string(inputs[i].shape),
                     ".");
    }
    if (inputs[i].bytes < bytes) return no_room("Input", i, inputs[i].shape, bytes, inputs[i].bytes);
    NNRT_TRY(check_file("input", i, inputs[i]));
  }
  return {};
}

Result<std::shared_ptr<const Execution::RunShapes>> Execution::run_shapes(
    std::span<const TensorView> inputs) const {
  const auto has_shape = [](const TensorView& input, const Shape& shape) { return input.shape == shape; };
  const std::lock_guard lock(shapes_mutex_);
  if (last_shapes_ != nullptr && std::ranges::equal(inputs, last_shapes_->inputs, has_shape))
    return last_shapes_;
  std::vector<Shape> shapes;
  for (const TensorView& input : inputs) shapes.push_back(input.shape);
  NNRT_ASSIGN(const std::vector<Shape> inferred, infer_run(*model_->lowered, shapes));
  last_shapes_ = std::make_shared<const RunShapes>(
      RunShapes{std::move(shapes), shapes_of(model_->graph->outputs, inferred)});
  return last_shapes_;
}

// Checks the capacity of every output whose shape is known before the run, so that none is written if another
// does not fit.
Status Execution::check_outputs(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
                                std::span<const Shape> shapes) const {
  const Graph& graph = *model_->graph;
  std::vector<size_t> extents;
  const bool is_cut = model_->cuts_results();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto bytes = byte_size(graph.tensors[graph.outputs[i]].dtype, shapes[i]);
    extents.push_back(bytes.value_or(1));  // if the shape is unknown: at least the first byte
    if (is_cut) extents.back() = std::min(extents.back(), outputs[i].view.bytes);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorView& view = outputs[i].view;
    if (view.memory->read_only()) return invalid("Output ", i, " is in read-only memory.");
    NNRT_TRY(check_file("output", i, view));
  }
  NNRT_TRY(check_overlap(inputs, outputs, extents));
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i].view.shape = shapes[i];
  for (size_t i = 0; i < outputs.size(); ++i) NNRT_TRY(outputs[i].make_room(i, extents[i]));
  return {};
}

// Input and output must belong to the same partition: others may run at any time before or after it.
bool Execution::may_share(size_t input, size_t output) const {
  const TensorId from = model_->graph->inputs[input], to = model_->graph->outputs[output];
  const CompiledModel::Partition* reader = nullptr;
  for (const CompiledModel::Partition& partition : model_->partitions) {
    if (std::ranges::find(partition.inputs, from) == partition.inputs.end()) continue;
    if (reader != nullptr) return false;
    reader = &partition;
  }
  if (reader == nullptr) return false;
  const auto written = std::ranges::find(reader->outputs, to);
  if (written == reader->outputs.end()) return false;
  const auto read = std::ranges::find(reader->inputs, from);
  return reader->model->may_share(static_cast<size_t>(read - reader->inputs.begin()),
                                  static_cast<size_t>(written - reader->outputs.begin()));
}

// `extents` are the sizes of the outputs in bytes.
Status Execution::check_overlap(std::span<const TensorView> inputs, std::span<const OutputSlot> outputs,
                                std::span<const size_t> extents) const {
  const Graph& graph = *model_->graph;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorView& output = outputs[i].view;
    for (size_t k = 0; k < i; ++k) {
      const TensorView& other = outputs[k].view;
      if (SharedMemory::overlap(*output.memory, output.offset, extents[i], *other.memory, other.offset,
                                extents[k])) {
        return invalid("The memory of output ", i, " overlaps that of output ", k, ".");
      }
    }
    for (size_t k = 0; k < inputs.size(); ++k) {
      const size_t bytes = *byte_size(graph.tensors[graph.inputs[k]].dtype, inputs[k].shape);
      if (!SharedMemory::overlap(*output.memory, output.offset, extents[i], *inputs[k].memory,
                                 inputs[k].offset, bytes))
        continue;
      if (output.data() != inputs[k].data() || extents[i] != bytes)
        return invalid("The memory of output ", i, " overlaps that of input ", k, ".");
      if (output.residence != inputs[k].residence)
        return invalid("Output ", i, " shares the memory of input ", k,
                       ", and one of them stays on the device: use one tensor for both.");
      if (!may_share(k, i))
        return invalid("Output ", i, " shares the memory of input ", k,
                       ", and operations may read the input after it was written.");
    }
  }
  return {};
}

Status Execution::check_bound(std::span<const TensorView> inputs, std::span<OutputSlot> outputs) const {
  NNRT_TRY(check_inputs(inputs));
  NNRT_ASSIGN(const std::shared_ptr<const RunShapes> shapes, run_shapes(inputs));
  return check_outputs(inputs, outputs, shapes->outputs);
}

Status Execution::check(std::span<const TensorView> inputs, std::span<OutputSlot> outputs) const {
  NNRT_TRY(check_described(outputs));
  return check_bound(inputs, outputs);
}

Status Execution::check_ranges(std::span<const TensorView> inputs) const {
  if (is_static_) return {};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto range = input_range(i);
    if (!range.ok()) continue;
    const Shape& shape = inputs[i].shape;
    for (size_t d = 0; d < shape.size(); ++d) {
      const auto [smallest, largest] = std::pair(range.value().smallest[d], range.value().largest[d]);
      if (size_t(shape[d]) >= smallest && size_t(shape[d]) <= largest) continue;
      if (shape[d] == 0 && supports_empty_inputs()) continue;
      return invalid("Dimension ", d, " (", shape[d], ") of input ", i, " is outside [", smallest, ", ",
                     largest, "].");
    }
  }
  return {};
}

Status Execution::run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) {
  NNRT_TRY(check_described(outputs));
  NNRT_ASSIGN(const RunGate::Pass turn, turn_.enter(model_->priority, deadline));
  NNRT_TRY(check_bound(inputs, outputs));
  return run_partitions(inputs, outputs, deadline);
}

Status Execution::run_partitions(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
                                 Deadline deadline) {
  const Graph& graph = *model_->graph;
  // A tensor that crosses a border is either the client's or an internal edge.
  std::vector<OutputSlot*> position(edges_.size());
  for (size_t id = 0; id < edges_.size(); ++id) position[id] = &edges_[id];
  std::vector<OutputSlot> fed;
  for (const TensorView& input : inputs) fed.push_back({input});
  for (size_t i = fed.size(); i-- > 0;) position[graph.inputs[i]] = &fed[i];
  for (size_t i = outputs.size(); i-- > 0;) position[graph.outputs[i]] = &outputs[i];

  const uint64_t run = trace::current_run();
  const auto run_one = [&](size_t index) -> Status {
    const trace::RunScope traced(run);  // may be on another thread
    const CompiledModel::Partition& partition = model_->partitions[index];
    std::vector<TensorView> partition_inputs;
    for (const TensorId id : partition.inputs) partition_inputs.push_back(position[id]->view);
    std::vector<OutputSlot> slots;
    for (const TensorId id : partition.outputs) slots.push_back(*position[id]);
    if (!partition.model->uses_residence()) {
      NNRT_TRY(leave_devices(partition_inputs));
      for (OutputSlot& slot : slots) NNRT_TRY(leave_devices({&slot.view, 1}));
    }
    Status status = run_partition(partition, partition_inputs, slots, deadline);
    for (size_t i = 0; i < slots.size(); ++i) *position[partition.outputs[i]] = std::move(slots[i]);
    return status;
  };
  if (lanes_ != nullptr) {
    NNRT_TRY(lanes_->run(run_one));
  } else {
    for (size_t partition = 0; partition < model_->partitions.size(); ++partition)
      NNRT_TRY(run_one(partition));
  }
  return copy_repeated(outputs);
}

// A run never waits for a device while occupying another: the devices of a model serve other models
// meanwhile.
Status Execution::run_partition(const CompiledModel::Partition& partition, std::span<const TensorView> inputs,
                                std::span<OutputSlot> outputs, Deadline deadline) const {
  RunGate* const gate = partition.device->gate();
  std::optional<RunGate::Pass> pass;
  if (gate != nullptr) {
    NNRT_ASSIGN(RunGate::Pass entered, gate->enter(model_->priority, deadline));
    pass.emplace(std::move(entered));
  }
  const trace::Span span("partition", [&] { return partition_event(*model_, partition); });
  return partition.model->run(inputs, outputs, deadline);
}

// A tensor listed several times as an output is computed into the first and copied to the others.
Status Execution::copy_repeated(std::span<OutputSlot> outputs) const {
  const std::vector<TensorId>& ids = model_->graph->outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto first = static_cast<size_t>(std::find(ids.begin(), ids.end(), ids[i]) - ids.begin());
    if (first == i) continue;
    const TensorView& from = outputs[first].view;
    TensorView& to = outputs[i].view;
    size_t bytes = *byte_size(model_->graph->tensors[ids[i]].dtype, from.shape);
    to.shape = from.shape;
    if (model_->cuts_results()) bytes = std::min({bytes, from.bytes, to.bytes});
    NNRT_TRY(outputs[i].make_room(i, bytes));
    if (from.residence != nullptr) NNRT_TRY(from.residence->read_back());
    NNRT_TRY(leave_devices({&to, 1}));
    std::memmove(to.data(), from.data(), bytes);
    count_copied(bytes);
  }
  return {};
}

}  // namespace nnrt
