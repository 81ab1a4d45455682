#include "tools/import/network/shape_inference.h"

#include "core/schema/infer.h"
#include "core/schema/schema.h"
#include "core/schema/validate.h"
#include "tools/import/network/constant_folding.h"
#include "tools/import/network/core_tensor.h"

#include <algorithm>
#include <limits>

namespace nnrt::import {
namespace {

constexpr size_t kMaxComputed = 4096;  // bytes of a constant: shapes and values computed from them

// One operation as its own graph: inputs, outputs, then parameters.
struct Draft {
  const OpSchema& schema;
  nnrt::Graph graph;
  nnrt::Node node;
};

Result<Draft> draft_of(const NetworkBuilder& builder, const Operation& operation) {
  Draft draft{nnrt::schema(*op_from_number(operation.type)), {}, {}};
  const auto add = [&](nnrt::Tensor tensor) {
    draft.graph.shapes.push_back(tensor.shape);
    draft.graph.tensors.push_back(std::move(tensor));
    return static_cast<uint32_t>(draft.graph.tensors.size() - 1);
  };
  draft.node.op = draft.schema.op;
  for (const TensorId id : operation.inputs) draft.node.inputs.push_back(add(to_core(builder.tensor(id))));
  for (const TensorId id : operation.outputs) draft.node.outputs.push_back(add(to_core(builder.tensor(id))));
  std::vector<uint32_t> parameters;
  for (const Parameter& parameter : operation.parameters) parameters.push_back(add(to_core(parameter)));
  NNRT_ASSIGN(draft.node.attrs, check_operation(draft.schema, draft.graph.tensors, parameters,
                                                draft.node.inputs, draft.node.outputs));
  return draft;
}

Status infer_shapes(Draft& draft, const std::vector<bool>& has_rank) {
  const std::vector<const std::byte*> values = constant_values(draft.graph);
  const NodeView view(draft.graph, draft.node, draft.graph.shapes, values);
  if (!std::ranges::all_of(has_rank, std::identity())) {
    NNRT_ASSIGN(const std::vector<nnrt::Shape> shapes, draft.schema.infer(view));
    for (size_t i = 0; i < shapes.size(); ++i) {
      const uint32_t id = draft.node.outputs[i];
      const bool is_scalar = nnrt::element_count(shapes[i]) == 1;
      if (!has_rank[i] && !is_scalar) draft.graph.tensors[id].shape = draft.graph.shapes[id] = shapes[i];
    }
  }
  NNRT_ASSIGN(std::vector<nnrt::Shape> shapes, infer_node(view));
  for (size_t i = 0; i < shapes.size(); ++i) draft.graph.shapes[draft.node.outputs[i]] = std::move(shapes[i]);
  return {};
}

bool is_arithmetic_of_shapes(const Draft& draft) {
  const auto is_small = [&](uint32_t id) {
    const auto bytes = nnrt::byte_size(draft.graph.tensors[id].dtype, draft.graph.shapes[id]);
    return bytes && *bytes <= kMaxComputed;
  };
  const auto is_known = [&](uint32_t id) { return draft.graph.tensors[id].is_constant() && is_small(id); };
  return !draft.node.inputs.empty() && std::ranges::all_of(draft.node.inputs, is_known) &&
         std::ranges::all_of(draft.node.outputs, is_small) && worth_computing(draft.graph, draft.node);
}

}  // namespace

Status Inference::complete(NetworkBuilder& builder, size_t first) const {
  std::vector<Operation> operations = builder.take_operations(first);
  for (Operation& operation : operations) {
    auto draft = draft_of(builder, operation);
    if (!draft.ok()) return of_file(std::move(draft).error());
    Draft& it = draft.value();
    std::vector<bool> ranks;
    for (const TensorId id : operation.outputs) ranks.push_back(has_rank(id));
    if (Status status = infer_shapes(it, ranks); !status.ok()) return of_file(std::move(status).error());
    for (size_t i = 0; i < operation.outputs.size(); ++i) {
      const nnrt::Shape& shape = it.graph.shapes[it.node.outputs[i]];
      builder.tensor(operation.outputs[i]).shape.assign(shape.begin(), shape.end());
    }
    if (std::ranges::any_of(operation.outputs, is_output) || !is_arithmetic_of_shapes(it)) {
      builder.operation(std::move(operation));
      continue;
    }
    NNRT_ASSIGN(std::vector<SharedBytes> results, evaluate(it.graph, it.node));
    for (size_t i = 0; i < results.size(); ++i) builder.set_data(operation.outputs[i], std::move(results[i]));
  }
  return {};
}

Result<List<Shape>> result_shapes(const NetworkBuilder& builder, const Operation& operation) {
  NNRT_ASSIGN(const Draft draft, draft_of(builder, operation));
  const std::vector<const std::byte*> values = constant_values(draft.graph);
  NNRT_ASSIGN(const std::vector<nnrt::Shape> inferred,
              draft.schema.infer(NodeView(draft.graph, draft.node, draft.graph.shapes, values)));
  List<Shape> shapes;
  for (const nnrt::Shape& shape : inferred) {
    const auto fits = [](int64_t length) { return length <= std::numeric_limits<int32_t>::max(); };
    if (!std::ranges::all_of(shape, fits))
      return Error{Code::unsupported, "A dimension of a result is above 2147483647."};
    shapes.emplace_back(shape.begin(), shape.end());
  }
  return shapes;
}

}  // namespace nnrt::import
