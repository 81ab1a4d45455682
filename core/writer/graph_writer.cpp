#include "core/writer/graph_writer.h"

#include "core/base/fp16.h"
#include "core/base/text.h"
#include "core/schema/infer.h"
#include "core/schema/rules.h"
#include "core/schema/schema.h"
#include "core/schema/validate.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace nnrt {
namespace {

// Layout-dependent operators treat rank 4 as NHWC (R16); INSTANCE_NORM needs it declared.
Format format_of(const Shape& shape) { return shape.size() == 4 ? Format::nhwc : Format::none; }

Tensor tensor_of(DType dtype, const Shape& shape, const Quant& quant, SharedBytes data = nullptr) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.quant = quant;
  tensor.data = std::move(data);
  return tensor;
}

template <typename T>
SharedBytes bytes_of(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return std::make_shared<const Bytes>(bytes.begin(), bytes.end());
}

template <typename T>
SharedBytes bytes_of_one(T value) {
  return bytes_of(std::span<const T>(&value, 1));
}

constexpr size_t kMaxFolded = 4096;  // bytes of an input or result

bool is_small(const Tensor& tensor) {
  const auto bytes = byte_size(tensor.dtype, tensor.shape);
  return bytes && *bytes > 0 && *bytes <= kMaxFolded;
}

// The node as a graph of its own; its inputs are constants.
GraphPtr alone(const Graph& graph, const Node& node) {
  auto made = std::make_shared<Graph>();
  Node copy = node;
  const auto take = [&](std::vector<TensorId>& ids) {
    for (TensorId& id : ids) {
      made->tensors.push_back(graph.tensors[id]);
      id = TensorId(made->tensors.size() - 1);
    }
  };
  take(copy.inputs);
  take(copy.outputs);
  made->outputs = copy.outputs;
  made->nodes.push_back(std::move(copy));
  infer(*made);
  return made;
}

}  // namespace

bool Value::is_empty() const { return nnrt::is_empty(shape); }

Shape tensor_shape(const Shape& shape) {
  return shape.size() > kMaxTensorRank ? Shape{element_count(shape).value_or(kUnknown)} : shape;
}

ResultType type_of(const Value& value) { return {value.dtype, value.quant, {}}; }

TensorId GraphWriter::add_tensor(Tensor tensor) {
  tensor.format = format_of(tensor.shape);
  tensor.name = cat("Tensor: ", graph_.tensors.size());
  values_.push_back(tensor.data ? tensor.data->data() : nullptr);
  graph_.shapes.push_back(tensor.shape);
  graph_.tensors.push_back(std::move(tensor));
  return TensorId(graph_.tensors.size() - 1);
}

Value GraphWriter::input(DType dtype, Shape shape, Quant quant) {
  Tensor tensor = tensor_of(dtype, tensor_shape(shape), quant);
  required(check_dimensions(tensor));
  const TensorId id = add_tensor(std::move(tensor));
  graph_.inputs.push_back(id);
  return {id, dtype, std::move(shape), std::move(quant)};
}

Value GraphWriter::constant(DType dtype, Shape shape, SharedBytes data, Quant quant) {
  const TensorId id = add_tensor(tensor_of(dtype, tensor_shape(shape), quant, std::move(data)));
  return {id, dtype, std::move(shape), std::move(quant)};
}

Value GraphWriter::integers(std::span<const int64_t> values, Shape shape) {
  return constant(DType::i64, std::move(shape), bytes_of(values));
}

Value GraphWriter::number(DType dtype, double value) {
  const auto bytes = [&]() -> SharedBytes {
    switch (dtype) {
      case DType::f16: return bytes_of_one(to_half(float(value)));
      case DType::i32: return bytes_of_one(int32_t(value));
      case DType::i8: return bytes_of_one(int8_t(value));
      case DType::i64: return bytes_of_one(int64_t(value));
      default: return bytes_of_one(float(value));
    }
  };
  const bool is_known =
      dtype == DType::f16 || dtype == DType::i32 || dtype == DType::i8 || dtype == DType::i64;
  return constant(is_known ? dtype : DType::f32, {1}, bytes());
}

Status GraphWriter::write(Node& node, const Settings& settings, const std::vector<ResultType>& results) {
  NNRT_ASSIGN(const Attrs given, attrs_of(node.op, settings));
  node.attrs = with_defaults(node.op, given);
  for (const ResultType& result : results) {
    node.outputs.push_back(add_tensor(tensor_of(result.dtype, result.shape, result.quant)));
  }
  NNRT_TRY(check_operation(schema(node.op), graph_.tensors, node));
  const NodeView view(graph_, node, graph_.shapes, values_);
  NNRT_ASSIGN(const std::vector<Shape> inferred, schema(node.op).infer(view));
  for (size_t i = 0; i < node.outputs.size() && i < inferred.size(); ++i) {
    Tensor& tensor = graph_.tensors[node.outputs[i]];
    tensor.shape = graph_.shapes[node.outputs[i]] = inferred[i];
    tensor.format = format_of(tensor.shape);
  }
  NNRT_ASSIGN(const std::vector<Shape> shapes, infer_node(view));
  constexpr size_t kMaxBytes = std::numeric_limits<uint32_t>::max();  // limit of all NNAPI tensors
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    graph_.shapes[node.outputs[i]] = shapes[i];
    const auto bytes = byte_size(graph_.tensors[node.outputs[i]].dtype, shapes[i]);
    if (bytes && *bytes > kMaxBytes)
      return invalid("A tensor of shape ", to_string(shapes[i]), " has more than ", kMaxBytes, " bytes.");
  }
  return {};
}

std::vector<Value> GraphWriter::emit_all(Op op, const std::vector<Value>& inputs, const Settings& settings,
                                         std::vector<ResultType> results) {
  std::vector<Value> values(results.size());
  Node node;
  node.op = op;
  node.position = uint32_t(graph_.nodes.size());
  for (const Value& value : inputs) {
    if (value.is_empty()) fail(invalid(short_name(op), " has an input without elements."));
    node.inputs.push_back(value.id);
  }
  required(write(node, settings, results));
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorId id = node.outputs[i];
    values[i] = {id, results[i].dtype, graph_.shapes[id], std::move(results[i].quant)};
  }
  if (fold(node)) return values;
  graph_.nodes.push_back(std::move(node));
  origins_.push_back(operation_);
  return values;
}

bool GraphWriter::fold(const Node& node) {
  if (!evaluate_) return false;
  std::vector<Bytes> results;
  const Shape& shape = graph_.shapes[node.inputs[0]];
  if (node.op == Op::shape && is_static(shape)) {
    std::vector<int32_t> lengths(shape.begin(), shape.end());
    const auto bytes = std::as_bytes(std::span(lengths));
    results.emplace_back(bytes.begin(), bytes.end());
  } else {
    const auto is_small_tensor = [&](TensorId id) { return is_small(graph_.tensors[id]); };
    const auto is_known = [&](TensorId id) {
      return graph_.tensors[id].is_constant() && is_small_tensor(id);
    };
    if (!std::ranges::all_of(node.inputs, is_known) || !std::ranges::all_of(node.outputs, is_small_tensor))
      return false;
    auto evaluated = evaluate_(alone(graph_, node));
    if (!evaluated.ok()) return false;
    results = std::move(evaluated).value();
  }
  for (size_t i = 0; i < results.size(); ++i) {
    Tensor& tensor = graph_.tensors[node.outputs[i]];
    tensor.data = std::make_shared<const Bytes>(std::move(results[i]));
    values_[node.outputs[i]] = tensor.data->data();
  }
  return true;
}

Value GraphWriter::emit(Op op, const std::vector<Value>& inputs, const Settings& settings,
                        ResultType result) {
  return std::move(emit_all(op, inputs, settings, {std::move(result)})[0]);
}

Value GraphWriter::emit(Op op, const std::vector<Value>& inputs, const Settings& settings) {
  return emit(op, inputs, settings, type_of(inputs[0]));
}

void GraphWriter::rewind(const Mark& mark) {
  graph_.tensors.resize(mark.tensors);
  graph_.shapes.resize(mark.tensors);
  values_.resize(mark.tensors);
  graph_.nodes.resize(mark.nodes);
  origins_.resize(mark.nodes);
  graph_.inputs.resize(mark.inputs);
}

bool GraphWriter::is_written(TensorId id) const {
  return std::ranges::any_of(graph_.nodes, [&](const Node& node) {
    return std::ranges::find(node.outputs, id) != node.outputs.end();
  });
}

Result<GraphPtr> GraphWriter::finish(std::span<const TensorId> outputs) {
  auto graph = std::make_shared<Graph>(std::move(graph_));
  graph_ = {};
  values_.clear();
  graph->outputs.assign(outputs.begin(), outputs.end());
  infer(*graph);
  return GraphPtr(std::move(graph));
}

}  // namespace nnrt
