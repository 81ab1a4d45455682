#include "tools/import/network/shape_inference.h"

#include "core/base/text.h"
#include "core/schema/infer.h"
#include "core/schema/rules.h"
#include "core/schema/validate.h"
#include "tools/import/network/constant_folding.h"
#include "tools/import/network/core_network.h"

#include <algorithm>
#include <limits>

namespace nnrt::import {
namespace {

constexpr size_t kMaxComputed = 4096;  // bytes of a constant: shapes and values computed from them

Result<Draft> draft_of(const NetworkBuilder& builder, Op type, const List<TensorId>& inputs,
                       std::vector<nnrt::Tensor> outputs, const Attrs& attributes) {
  Draft draft{nnrt::schema(type), {}, {}};
  draft.graph.tensors.reserve(inputs.size() + outputs.size());
  const auto add = [&](nnrt::Tensor tensor) {
    draft.graph.shapes.push_back(tensor.shape);
    draft.graph.tensors.push_back(std::move(tensor));
    return static_cast<uint32_t>(draft.graph.tensors.size() - 1);
  };
  draft.node.op = draft.schema.op;
  for (const TensorId id : inputs) draft.node.inputs.push_back(add(to_core(builder.tensor(id))));
  for (nnrt::Tensor& output : outputs) draft.node.outputs.push_back(add(std::move(output)));
  draft.node.attrs = with_defaults(type, attributes);
  NNRT_TRY(check_operation(draft.schema, draft.graph.tensors, draft.node));
  return draft;
}

Result<Draft> draft_of(const NetworkBuilder& builder, const Operation& operation) {
  std::vector<nnrt::Tensor> outputs;
  for (const TensorId id : operation.outputs) outputs.push_back(to_core(builder.tensor(id)));
  return draft_of(builder, operation.type, operation.inputs, std::move(outputs), operation.attributes);
}

DType output_dtype(const Draft& draft, const NodeView& view, size_t i, const Outputs& outputs) {
  const OutputRow& row = draft.schema.outputs[std::min(i, draft.schema.outputs.size() - 1)];
  if (i < outputs.dtypes.size()) return outputs.dtypes[i];
  if (row.rule == DTypeRule::promoted) return promoted(view);
  if (row.rule == DTypeRule::same_as) return view.dtype(static_cast<size_t>(row.same_as));
  for (int number = 1; number < kDTypeCount; ++number) {
    if (row.dtypes.contains(static_cast<DType>(number))) return static_cast<DType>(number);
  }
  return DType::unknown;
}

Status infer_shapes(Draft& draft, const std::vector<bool>& has_rank) {
  const std::vector<const std::byte*> values = constant_values(draft.graph);
  const NodeView view = draft.view(values);
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

Draft described(const NetworkBuilder& builder, Op type, const List<TensorId>& inputs, const Attrs& attributes,
                const Outputs& outputs) {
  nnrt::Tensor open;
  open.shape = outputs.shape;
  Draft draft =
      required(draft_of(builder, type, inputs, std::vector(outputs.count, std::move(open)), attributes));
  const std::vector<const std::byte*> values = constant_values(draft.graph);
  const nnrt::Tensor& first = draft.graph.tensors[draft.node.inputs[0]];
  for (size_t i = 0; i < outputs.count; ++i) {
    nnrt::Tensor& output = draft.output(i);
    output.dtype = output_dtype(draft, draft.view(values), i, outputs);
    if (i == 0 && outputs.quant) {
      output.quant = {outputs.quant->scales, outputs.quant->zero_points};
    } else if (output.dtype == first.dtype) {
      output.quant = first.quant;
    }
  }
  std::vector<nnrt::Shape> shapes = required(draft.schema.infer(draft.view(values)));
  for (size_t i = 0; i < outputs.count; ++i) {
    if (shapes[i].size() == outputs.shape.size())
      shapes[i] = unify(shapes[i], outputs.shape).value_or(shapes[i]);
    draft.output(i).shape = shapes[i];
    check_size(draft.output(i));
    draft.graph.shapes[draft.node.outputs[i]] = std::move(shapes[i]);
  }
  return draft;
}

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

}  // namespace nnrt::import
