#include "tools/import/network/core_network.h"

#include "core/base/text.h"
#include "core/schema/schema.h"

#include <cstring>
#include <limits>

namespace nnrt::import {
namespace {

template <typename T>
void append(Bytes& bytes, T value) {
  const auto view = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), view.begin(), view.end());
}

Bytes bytes_of(const AttrValue& value) {
  Bytes bytes;
  for (const double number : value.floats) {
    if (value.dtype == DType::f64) {
      append(bytes, number);
    } else {
      append(bytes, static_cast<float>(number));
    }
  }
  for (const int64_t number : value.integers) {
    switch (size_of(value.dtype)) {
      case 1: append(bytes, static_cast<int8_t>(number)); break;
      case 4: append(bytes, static_cast<int32_t>(number)); break;
      default: append(bytes, number);
    }
  }
  return bytes;
}

Parameter parameter_of(const ParamRow& row, const AttrValue& value) {
  constexpr int kPairs = 2;  // rank of lists of [begin, end]
  Parameter parameter{.role = static_cast<OH_NN_TensorType>(row.type()),
                      .type = static_cast<OH_NN_DataType>(value.dtype),
                      .shape = {},
                      .value = bytes_of(value)};
  const auto count = static_cast<int32_t>(value.count());
  if (row.rank == kPairs) {
    parameter.shape = {count / 2, 2};
  } else if (row.count.max > 1) {
    parameter.shape = {count};
  }
  return parameter;
}

Result<Operation> operation_of(const nnrt::Node& node) {
  Operation operation{.type = static_cast<OH_NN_OperationType>(node.op),
                      .inputs = node.inputs,
                      .outputs = node.outputs,
                      .parameters = {},
                      .origin = {}};
  const OpSchema& schema = nnrt::schema(node.op);
  for (const auto& [attr, value] : node.attrs.all()) {
    if (!value.given) continue;
    const ParamRow* found = nullptr;
    for (const ParamRow& row : schema.params)
      if (row.attr == attr) found = &row;
    if (found == nullptr)
      return Error{Code::failed, cat("An attribute of ", schema.name, " has no parameter.")};
    if (value.dtype == DType::f16) return unsupported("A parameter of ", schema.name, " is FLOAT16.");
    operation.parameters.push_back(parameter_of(*found, value));
  }
  return operation;
}

Result<Tensor> tensor_of(const nnrt::Graph& graph, TensorId id) {
  const nnrt::Tensor& from = graph.tensors[id];
  Tensor tensor{.name = from.name,
                .type = static_cast<OH_NN_DataType>(from.dtype),
                .format = static_cast<OH_NN_Format>(from.format),
                .shape = {},
                .quantization = {from.quant.scales, from.quant.zero_points},
                .data = from.data};
  for (const int64_t dimension : from.data ? from.shape : graph.shapes[id]) {
    if (dimension > std::numeric_limits<int32_t>::max())
      return unsupported("A dimension of tensor ", from.name, " (", dimension, ") is above 2147483647.");
    tensor.shape.push_back(static_cast<int32_t>(dimension));
  }
  return tensor;
}

}  // namespace

Result<Network> to_network(const nnrt::Graph& graph) {
  Network network;
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    NNRT_ASSIGN(Tensor tensor, tensor_of(graph, id));
    network.tensors.push_back(std::move(tensor));
  }
  for (const nnrt::Node& node : graph.nodes) {
    NNRT_ASSIGN(Operation operation, operation_of(node));
    network.operations.push_back(std::move(operation));
  }
  network.inputs = graph.inputs;
  network.outputs = graph.outputs;
  return network;
}

}  // namespace nnrt::import
