#include "tools/import/onnx/onnx_emitter.h"

#include "core/base/element_types.h"
#include "core/base/text.h"
#include "core/memory/deferred_bytes.h"
#include "core/memory/pages.h"
#include "core/schema/infer.h"
#include "core/schema/rules.h"
#include "core/schema/validate.h"
#include "tools/import/network/constant_folding.h"
#include "tools/import/network/core_tensor.h"
#include "tools/import/network/parameters.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace nnrt::import::onnx {
namespace {

// Elements are read one by one only from lists; as doubles they take eight times the space.
constexpr size_t kMaxListed = size_t{1} << 24;

template <typename T>
void put(Bytes& bytes, size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

template <typename T>
void put_integer(DType dtype, Bytes& bytes, size_t index, double value) {
  const double whole = std::trunc(value);
  constexpr double kLeast(std::numeric_limits<T>::min()), kEnd = double(std::numeric_limits<T>::max()) + 1;
  if (!(whole >= kLeast && whole < kEnd))
    fail(unsupported("A constant (", value, ") is outside the range of ", name(dtype), "."));
  put(bytes, index, static_cast<T>(whole));
}

void put_number(DType dtype, Bytes& bytes, size_t index, double value) {
  dispatch_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      put_integer<T>(dtype, bytes, index, value);
    } else {
      put(bytes, index, narrow<T>(value));
    }
  });
}

// Returns whether the transpose has the same bytes.
bool moves_only_ones(const Dims& shape, const List<int64_t>& order) {
  int64_t last = -1;
  for (const int64_t axis : order) {
    if (shape[static_cast<size_t>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

Format format_of(const nnrt::Shape& shape) { return shape.size() >= 3 ? Format::nchw : Format::none; }

}  // namespace

void check_size(const nnrt::Tensor& tensor) {
  constexpr uint64_t kMaxBytes = std::numeric_limits<uint32_t>::max();  // limit of the C API
  uint64_t bytes = size_of(tensor.dtype);
  for (const int64_t dimension : tensor.shape) {
    if (dimension < kUnknown || dimension > std::numeric_limits<int32_t>::max())
      fail(unsupported("A dimension of ", to_string(tensor.shape), " is outside [0, 2147483647]."));
    if (dimension != kUnknown) bytes *= static_cast<uint64_t>(dimension);
    if (bytes > kMaxBytes) fail(unsupported("Shape ", to_string(tensor.shape), " takes more than 4 GiB."));
  }
}

TensorId Emitter::add(nnrt::Tensor tensor) {
  tensor.format = format_of(tensor.shape);
  if (tensor.name.empty()) tensor.name = cat(origin_, " #", tensors_.size());
  tensors_.push_back(std::move(tensor));
  return static_cast<TensorId>(tensors_.size() - 1);
}

uint32_t Emitter::add_layer(Layer layer) {
  layers_.push_back(std::move(layer));
  return static_cast<uint32_t>(layers_.size() - 1);
}

void Emitter::give_name(TensorId id, const std::string& name) {
  if (tensors_[id].name.ends_with(cat(" #", id))) tensors_[id].name = name;
}

TensorId Emitter::constant(DType dtype, Dims shape, Bytes data, Quant quant) {
  nnrt::Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.quant = std::move(quant);
  budget_.count(data.size());
  tensor.data = std::make_shared<const Bytes>(std::move(data));
  return add(std::move(tensor));
}

TensorId Emitter::integers(const List<int64_t>& values) {
  Bytes bytes(values.size() * sizeof(int64_t));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return constant(DType::i64, {static_cast<int64_t>(values.size())}, std::move(bytes));
}

TensorId Emitter::type_code(DType dtype) { return number(DType::i32, static_cast<double>(dtype)); }

TensorId Emitter::number(DType dtype, double value) {
  Bytes bytes(size_of(dtype));
  put_number(dtype, bytes, 0, value);
  return constant(dtype, {}, std::move(bytes));
}

TensorId Emitter::filled(DType dtype, const Dims& shape, double value) {
  const std::optional<size_t> size = nnrt::byte_size(dtype, shape);
  if (!size) fail(unsupported("A constant of shape ", to_string(shape), " is too large."));
  required(budget_.take(*size));
  Bytes bytes(*size);
  for (size_t i = 0; i < *size / size_of(dtype); ++i) put_number(dtype, bytes, i, value);
  nnrt::Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
  return add(std::move(tensor));
}

bool Emitter::is_list(TensorId id) const {
  return is_constant(id) && tensors_[id].data->size() <= kMaxListed * size_of(dtype(id));
}

std::optional<List<int64_t>> Emitter::known_integers(TensorId id) const {
  if (!is_list(id) || is_float(dtype(id))) return {};
  return numbers_of<int64_t>(dtype(id), *tensors_[id].data);
}

std::optional<List<int64_t>> Emitter::partly_known_integers(TensorId id) const {
  const auto found = partly_known_.find(id);
  if (found == partly_known_.end()) return known_integers(id);
  return numbers_of<int64_t>(dtype(id), *found->second);
}

std::optional<List<double>> Emitter::known_numbers(TensorId id) const {
  if (!is_list(id)) return {};
  return numbers_of<double>(dtype(id), *tensors_[id].data);
}

// One operation as its own graph: inputs, outputs, then parameters.
struct Emitter::Draft {
  const OpSchema& schema;
  Ids inputs;
  nnrt::Graph graph;
  nnrt::Node node;

  NodeView view(std::span<const std::byte* const> values) const {
    return {graph, node, graph.shapes, values};
  }
  nnrt::Tensor& output(size_t i) { return graph.tensors[node.outputs[i]]; }
};

namespace {

DType output_dtype(const OpSchema& schema, const NodeView& view, size_t i, const Outputs& outputs) {
  const OutputRow& row = schema.outputs[std::min(i, schema.outputs.size() - 1)];
  if (i < outputs.dtypes.size()) return outputs.dtypes[i];
  if (row.rule == DTypeRule::promoted) return promoted(view);
  if (row.rule == DTypeRule::same_as) return view.dtype(static_cast<size_t>(row.same_as));
  for (int number = 1; number < kDTypeCount; ++number) {
    if (row.dtypes.contains(static_cast<DType>(number))) return static_cast<DType>(number);
  }
  return DType::unknown;
}

}  // namespace

void Emitter::describe(Draft& draft, const Outputs& outputs) const {
  const std::vector<const std::byte*> values = constant_values(draft.graph);
  const nnrt::Tensor& first = draft.graph.tensors[draft.node.inputs[0]];
  for (size_t i = 0; i < outputs.count; ++i) {
    nnrt::Tensor& output = draft.output(i);
    output.dtype = output_dtype(draft.schema, draft.view(values), i, outputs);
    const bool has_sums = sums_ && draft.schema.outputs[0].sums && output.dtype == DType::i8;
    if (has_sums) output.dtype = DType::i32;
    output.shape = outputs.shape;
    draft.graph.shapes[draft.node.outputs[i]] = outputs.shape;
    std::optional<Quant> quant = i == 0 ? outputs.quant : std::nullopt;
    const bool moved = draft.schema.copy && draft.node.op != Op::concat;
    if (!quant && output.dtype == DType::i8 && !first.quant.empty())
      quant = moved || !target_ ? first.quant : *target_;
    if (quant) output.quant = std::move(*quant);
  }
  std::vector<nnrt::Shape> shapes = required(draft.schema.infer(draft.view(values)));
  for (size_t i = 0; i < outputs.count; ++i) {
    nnrt::Tensor& output = draft.output(i);
    if (shapes[i].size() == outputs.shape.size())
      shapes[i] = unify(shapes[i], outputs.shape).value_or(shapes[i]);
    output.shape = shapes[i];
    check_size(output);
    output.format = format_of(output.shape);
    draft.graph.shapes[draft.node.outputs[i]] = std::move(shapes[i]);
  }
  required(infer_node(draft.view(values)));
}

// ONNX rounds to quantized values with ties to even (R12).
void Emitter::round_ties_to_even(Draft& draft, std::vector<Parameter>& parameters) {
  const nnrt::Tensor& from = draft.graph.tensors[draft.node.inputs[0]];
  const nnrt::Tensor& to = draft.output(0);
  const bool moves = draft.schema.copy || (from.quant.empty() && !is_float(from.dtype));
  const bool is_moved = moves && (from.quant.empty() || from.quant == to.quant);
  if (!draft.schema.rounds() || to.dtype != DType::i8 || to.quant.empty() || is_moved) return;
  const ParamRow& ties = ties_param();
  parameters.push_back(bool_parameter(static_cast<OH_NN_TensorType>(ties.type()), true));
  draft.node.attrs.set(ties.attr, {.dtype = DType::boolean, .integers = {1}, .floats = {}});
  for (const TensorId id : draft.node.outputs) draft.graph.tensors[id].quant.ties_to_even = true;
}

// Returns whether the outputs became constants.
bool Emitter::compute(Draft& draft) {
  const auto constant = [&](TensorId id) { return is_constant(id); };
  if (!computes_ || !std::ranges::all_of(draft.inputs, constant) || !worth_computing(draft.graph, draft.node))
    return false;
  for (const TensorId id : draft.node.outputs)
    required(budget_.take(*nnrt::byte_size(draft.graph.tensors[id].dtype, draft.graph.shapes[id])));
  for (const TensorId id : draft.inputs) required(ensure_read(tensors_[id].data));
  std::vector<SharedBytes> results = required(evaluate(draft.graph, draft.node));
  for (size_t i = 0; i < results.size(); ++i) draft.output(i).data = std::move(results[i]);
  return true;
}

Ids Emitter::emit_many(OH_NN_OperationType type, const Ids& inputs, std::vector<Parameter> parameters,
                       const Outputs& outputs) {
  constexpr size_t kMaxTensors = size_t{1} << 20;
  if (tensors_.size() > kMaxTensors)
    fail(unsupported("The model expands to more than ", kMaxTensors, " tensors."));
  Draft draft{nnrt::schema(*op_from_number(type)), inputs, {}, {}};
  for (const TensorId id : inputs) draft.graph.tensors.push_back(tensors_[id]);
  draft.graph.tensors.resize(inputs.size() + outputs.count);
  std::vector<uint32_t> roles;
  for (const Parameter& parameter : parameters) {
    roles.push_back(static_cast<uint32_t>(draft.graph.tensors.size()));
    draft.graph.tensors.push_back(to_core(parameter));
  }
  for (const nnrt::Tensor& tensor : draft.graph.tensors) draft.graph.shapes.push_back(tensor.shape);
  draft.node.op = draft.schema.op;
  for (uint32_t i = 0; i < inputs.size() + outputs.count; ++i) {
    (i < inputs.size() ? draft.node.inputs : draft.node.outputs).push_back(i);
  }
  draft.node.attrs = required(
      check_operation(draft.schema, draft.graph.tensors, roles, draft.node.inputs, draft.node.outputs));
  describe(draft, outputs);
  round_ties_to_even(draft, parameters);
  const bool known = compute(draft);

  Ids made;
  for (size_t i = 0; i < outputs.count; ++i) made.push_back(add(draft.output(i)));
  if (known) return made;
  if (computes_) reveal(draft);
  if (const auto part = computes_ ? evaluate_partly(draft.graph, draft.node, kHidden) : std::nullopt) {
    budget_.count(part->data->size());
    if (!part->complete) {
      partly_known_[made[0]] = part->data;
    } else {
      tensors_[made[0]].data = part->data;
      return made;
    }
  }
  operations_.push_back({type, inputs, made, std::move(parameters), origin_, layer_});
  return made;
}

// Sets the known contents of the draft's inputs. Indices and the like must be known completely.
void Emitter::reveal(Draft& draft) {
  const bool joins = draft.node.op == Op::concat || draft.node.op == Op::stack;
  for (size_t i = 0; i < (joins ? draft.inputs.size() : 1); ++i) {
    const auto found = partly_known_.find(draft.inputs[i]);
    if (found != partly_known_.end()) draft.graph.tensors[i].data = found->second;
  }
}

TensorId Emitter::transposed_weights(TensorId id, const List<int64_t>& order) {
  const nnrt::Tensor& from = tensors_[id];
  if (!keeps_order_ || !is_constant(id) || from.dtype != DType::f32 || moves_only_ones(from.shape, order))
    return emit(OH_NN_OPS_TRANSPOSE, {id, integers(order)});
  required(budget_.take(from.data->size()));
  StoredOrder stored{from.data, from.shape, {order.begin(), order.end()}, size_of(from.dtype)};
  if (reinterpret_cast<uintptr_t>(stored.data->data()) % stored.element_bytes != 0)
    stored.data = copy_in_pages(*stored.data);
  nnrt::Tensor made;
  made.dtype = from.dtype;
  for (const int64_t axis : order) made.shape.push_back(from.shape[static_cast<size_t>(axis)]);
  made.data = deferred_transpose(std::move(stored));
  return add(std::move(made));
}

TensorId Emitter::copy(TensorId id) {
  computes_ = false;
  const bool is_scalar = rank(id) == 0;
  const TensorId target = integers(is_scalar ? List<int64_t>{1} : List<int64_t>(rank(id), 0));
  TensorId made = emit(OH_NN_OPS_RESHAPE, {id, target});
  if (is_scalar) made = emit(OH_NN_OPS_SQUEEZE, {made});
  computes_ = true;
  return made;
}

Network Emitter::finish(const Ids& inputs, const Ids& outputs) && {
  std::vector<bool> wanted(tensors_.size(), false);
  for (const TensorId id : outputs) wanted[id] = true;
  for (const TensorId id : inputs) wanted[id] = true;
  std::vector<Operation> retained;
  for (auto operation = operations_.rbegin(); operation != operations_.rend(); ++operation) {
    if (std::ranges::none_of(operation->outputs, [&](TensorId id) { return wanted[id]; })) continue;
    for (const TensorId id : operation->inputs) wanted[id] = true;
    for (const TensorId id : operation->outputs) wanted[id] = true;
    retained.push_back(std::move(*operation));
  }
  std::ranges::reverse(retained);

  Network network;
  std::vector<TensorId> position(tensors_.size());
  for (size_t id = 0; id < tensors_.size(); ++id) {
    if (!wanted[id]) continue;
    nnrt::Tensor& from = tensors_[id];
    position[id] = static_cast<TensorId>(network.tensors.size());
    network.tensors.push_back({std::move(from.name),
                               static_cast<OH_NN_DataType>(from.dtype),
                               static_cast<OH_NN_Format>(from.format),
                               Shape(from.shape.begin(), from.shape.end()),
                               {std::move(from.quant.scales), std::move(from.quant.zero_points)},
                               std::move(from.data)});
    from.data = {};  // avoids a second copy of every constant
  }
  const auto move_to_axes = [&](Ids ids) {
    for (TensorId& id : ids) id = position[id];
    return ids;
  };
  for (Operation& operation : retained) {
    operation.inputs = move_to_axes(std::move(operation.inputs));
    operation.outputs = move_to_axes(std::move(operation.outputs));
  }
  network.operations = std::move(retained);
  network.inputs = move_to_axes(inputs);
  network.outputs = move_to_axes(outputs);
  network.layers = std::move(layers_);
  return network;
}

}  // namespace nnrt::import::onnx
