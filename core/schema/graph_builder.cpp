#include "core/schema/graph_builder.h"

#include "core/base/text.h"
#include "core/memory/deferred_bytes.h"
#include "core/memory/pages.h"
#include "core/platform/compat.h"
#include "core/schema/infer.h"
#include "core/schema/schema.h"
#include "core/schema/validate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>

namespace nnrt {
namespace {

Error forbidden(std::string message) { return {Code::forbidden, std::move(message)}; }

}  // namespace

Status GraphBuilder::require_open() const {
  if (finished()) return forbidden("The model is finished and cannot be changed.");
  return {};
}

Status GraphBuilder::require_index(uint32_t index) const {
  if (index < tensors_.size()) return {};
  return invalid("Tensor (", index, ") does not exist; the model has ", tensors_.size(), ".");
}

Status GraphBuilder::require_indices(std::span<const uint32_t> indices) const {
  for (const uint32_t index : indices) NNRT_TRY(require_index(index));
  return {};
}

Status GraphBuilder::add_tensor(Tensor tensor) {
  NNRT_TRY(require_open());
  NNRT_TRY(check_role(tensors_.size(), tensor.role));
  if (Status status = check_dimensions(tensor); !status.ok())
    return std::move(status).error().during(cat("adding tensor ", tensors_.size()));
  if (tensor.name.empty()) tensor.name = cat("Tensor: ", tensors_.size());
  tensors_.push_back(std::move(tensor));
  return {};
}

Status GraphBuilder::set_role(uint32_t index, int tensor_type) {
  NNRT_TRY(require_open());
  NNRT_TRY(require_index(index));
  NNRT_TRY(check_role(index, tensor_type));
  tensors_[index].role = tensor_type;
  return {};
}

// That tensor `index` may be set to this number of bytes.
Status GraphBuilder::require_data(uint32_t index, size_t bytes) const {
  NNRT_TRY(require_open());
  NNRT_TRY(require_index(index));
  const Tensor& tensor = tensors_[index];
  const auto is_specified = [&](const std::vector<TensorId>& list) {
    return std::find(list.begin(), list.end(), index) != list.end();
  };
  if (!compat::boundary_tensors_take_data() && (is_specified(inputs_) || is_specified(outputs_))) {
    return forbidden(cat("Tensor ", index, " is an input or output of the model."));
  }
  if (!is_static(tensor.shape))
    return forbidden(cat("Tensor ", index, " has the dynamic shape ", to_string(tensor.shape), "."));
  if (tensor.data) return invalid("Tensor ", index, " has data already.");
  if (tensor.dtype == DType::unknown) return invalid("Tensor ", index, " has the data type UNKNOWN.");
  const size_t want = *byte_size(tensor.dtype, tensor.shape);  // below 4 GiB, checked by add_tensor()
  if (bytes != want) return invalid("Tensor ", index, " takes ", want, " bytes, not ", bytes, ".");
  return {};
}

Status GraphBuilder::set_data(uint32_t index, ByteView data) {
  NNRT_TRY(require_data(index, data.size()));
  tensors_[index].data = copy_in_pages(data);
  return {};
}

Status GraphBuilder::lend_data(uint32_t index, SharedBytes data) {
  NNRT_TRY(require_data(index, data->size()));
  Tensor& tensor = tensors_[index];
  const bool is_aligned = reinterpret_cast<uintptr_t>(data->data()) % size_of(tensor.dtype) == 0;
  tensor.data = is_aligned ? std::move(data) : copy_in_pages(*data);
  return {};
}

namespace {

// Only kernels read weights of CONV2D; everything else gets them as they are described.
bool is_stored_as_oihw(const Tensor& tensor, std::span<const uint32_t> order) {
  constexpr std::array<uint32_t, 4> kHeightWidthIn{0, 2, 3, 1};
  return tensor.dtype == DType::f32 && std::ranges::equal(order, kHeightWidthIn);
}

}  // namespace

Status GraphBuilder::lend_transposed(uint32_t index, SharedBytes data, std::span<const uint32_t> order) {
  NNRT_TRY(require_data(index, data->size()));
  Tensor& tensor = tensors_[index];
  const size_t rank = tensor.shape.size();
  StoredOrder stored{std::move(data), Shape(rank, kUnknown), {}, size_of(tensor.dtype)};
  for (const uint32_t from : order) {
    if (stored.order.size() == rank || from >= rank || stored.shape[from] != kUnknown)
      return invalid("The order is not a permutation of the ", rank, " dimensions of tensor ", index, ".");
    stored.shape[from] = tensor.shape[stored.order.size()];
    stored.order.push_back(from);
  }
  if (stored.order.size() != rank)
    return invalid("The order has ", order.size(), " dimensions; tensor ", index, " has ", rank, ".");
  if (stored.data->empty()) return lend_data(index, stored.data);
  if (reinterpret_cast<uintptr_t>(stored.data->data()) % stored.element_bytes != 0)
    stored.data = copy_in_pages(*stored.data);
  SharedBytes made = deferred_transpose(std::move(stored));
  if (!is_stored_as_oihw(tensor, order)) NNRT_TRY(ensure_read(made));
  tensor.data = std::move(made);
  return {};
}

// Passes and shape inference access all but weights of CONV2D.
Status GraphBuilder::transpose_operands(Op op, std::span<const uint32_t> inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (op != Op::conv2d || i != 1) NNRT_TRY(ensure_read(tensors_[inputs[i]].data));
  return {};
}

Status GraphBuilder::set_quant(uint32_t index, Quant quant) {
  NNRT_TRY(require_open());
  NNRT_TRY(require_index(index));
  tensors_[index].quant = std::move(quant);
  return {};
}

Status GraphBuilder::require_operands(Op op, std::span<const uint32_t> inputs,
                                      std::span<const uint32_t> outputs) const {
  NNRT_TRY(check_operand_count("inputs", inputs.size()));
  NNRT_TRY(check_operand_count("outputs", outputs.size()));
  NNRT_TRY(require_indices(inputs));
  NNRT_TRY(require_indices(outputs));
  return transpose_operands(op, inputs);
}

Status GraphBuilder::add_operation(int operation_type, std::span<const uint32_t> params,
                                   std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
  NNRT_TRY(require_open());
  const std::optional<Op> op = op_from_number(operation_type);
  if (!op || (is_extension(*op) && !compat::has_extensions())) {
    return invalid("Type (", operation_type, ") of operation ", nodes_.size(),
                   " is not the number of an operator.");
  }
  const auto check = [&]() -> Result<Attrs> {
    NNRT_TRY(require_indices(params));
    for (const uint32_t id : params) NNRT_TRY(ensure_read(tensors_[id].data));
    NNRT_TRY(require_operands(*op, inputs, outputs));
    return check_operation(schema(*op), tensors_, params, inputs, outputs);
  };
  auto attrs = check();
  if (!attrs.ok())
    return std::move(attrs).error().during(cat("adding ", name(*op), " (operation ", nodes_.size(), ")"));
  nodes_.push_back({*op,
                    {inputs.begin(), inputs.end()},
                    {outputs.begin(), outputs.end()},
                    std::move(attrs).value(),
                    static_cast<uint32_t>(nodes_.size()),
                    {}});
  return {};
}

Status GraphBuilder::add_node(Node node) {
  NNRT_TRY(require_open());
  NNRT_TRY(require_operands(node.op, node.inputs, node.outputs));
  NNRT_TRY(check_operation(schema(node.op), tensors_, node));
  node.position = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back(std::move(node));
  return {};
}

Status GraphBuilder::specify(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
  NNRT_TRY(require_open());
  if (specified_) return forbidden("Inputs and outputs are specified already.");
  NNRT_TRY(check_operand_count("inputs", inputs.size()));
  NNRT_TRY(check_operand_count("outputs", outputs.size()));
  for (const auto indices : {inputs, outputs}) {
    NNRT_TRY(require_indices(indices));
    for (const uint32_t index : indices) {
      if (tensors_[index].role != 0)
        return invalid("Tensor ", index, " is a parameter (", tensors_[index].role, ").");
    }
  }
  for (const uint32_t index : inputs) {
    if (std::find(outputs.begin(), outputs.end(), index) != outputs.end()) {
      return invalid("Tensor ", index, " is both input and output of the model.");
    }
  }
  std::vector<TensorId> ins(inputs.begin(), inputs.end()), outs(outputs.begin(), outputs.end());
  inputs_ = std::move(ins);  // both or neither, if out of memory
  outputs_ = std::move(outs);
  specified_ = true;
  return {};
}

// Kahn's algorithm; among ready nodes, the one added first comes first.
Result<std::vector<Node>> GraphBuilder::sorted_nodes() const {
  constexpr auto kNobody = std::numeric_limits<uint32_t>::max();
  std::vector<uint32_t> writer(tensors_.size(), kNobody);
  for (const Node& node : nodes_) {
    for (const TensorId id : node.outputs) {
      if (writer[id] != kNobody) {
        return invalid("Tensor ", id, " is written twice, by operations ", writer[id], " and ", node.position,
                       ".");
      }
      if (tensors_[id].data) return invalid("Tensor ", id, " has data and is written by an operation.");
      writer[id] = node.position;
    }
  }
  for (const TensorId id : inputs_) {
    if (writer[id] != kNobody)
      return invalid("Tensor ", id, " is an input of the model and written by an operation.");
  }
  for (const TensorId id : outputs_) {
    if (writer[id] == kNobody)
      return invalid("Tensor ", id, " is an output of the model that no operation writes.");
  }

  std::vector<uint32_t> waits(nodes_.size(), 0);
  std::vector<std::vector<uint32_t>> readers(nodes_.size());
  for (const Node& node : nodes_) {
    for (const TensorId id : node.inputs) {
      if (writer[id] != kNobody) {
        ++waits[node.position];
        readers[writer[id]].push_back(node.position);
      } else if (!tensors_[id].data && std::find(inputs_.begin(), inputs_.end(), id) == inputs_.end()) {
        return invalid("Tensor ", id, " is read by operation ", node.position,
                       " and has no data, no writer, and is not an input.");
      }
    }
  }

  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t position = 0; position < nodes_.size(); ++position) {
    if (waits[position] == 0) ready.push(position);
  }
  std::vector<Node> sorted;
  while (!ready.empty()) {
    const uint32_t position = ready.top();
    ready.pop();
    sorted.push_back(nodes_[position]);
    for (const uint32_t reader : readers[position]) {
      if (--waits[reader] == 0) ready.push(reader);
    }
  }
  if (sorted.size() != nodes_.size()) {
    const auto waiting = std::find_if(waits.begin(), waits.end(), [](uint32_t wait) { return wait > 0; });
    return invalid("Operations form a cycle: operation ", waiting - waits.begin(),
                   " is part of it or depends on it.");
  }
  return sorted;
}

Status GraphBuilder::finish() {
  if (finished()) return forbidden("The model is finished already.");
  if (tensors_.empty()) return forbidden("The model has no tensor.");
  if (nodes_.empty()) return forbidden("The model has no operation.");
  if (!specified_) return forbidden("Inputs and outputs are not specified.");
  NNRT_ASSIGN(std::vector<Node> nodes, sorted_nodes());
  for (const Node& node : nodes) NNRT_TRY(transpose_operands(node.op, node.inputs));  // lent meanwhile

  auto graph = std::make_shared<Graph>();
  graph->tensors = tensors_;
  graph->nodes = std::move(nodes);
  graph->inputs = inputs_;
  graph->outputs = outputs_;
  for (const TensorId id : inputs_) graph->tensors[id].data = nullptr;  // provided by each run instead
  for (const Node& node : graph->nodes) {
    for (const TensorId id : node.outputs)
      graph->tensors[id].quant.ties_to_even = node.attrs.is_set(Attr::ties_to_even);
  }
  infer(*graph);
  graph_ = std::move(graph);
  return {};
}

}  // namespace nnrt
