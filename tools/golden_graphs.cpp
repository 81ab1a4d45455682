#include "golden_graphs.h"

#include "case.h"
#include "core/graph_builder.h"

#include <stdexcept>

namespace {

nnrt::Tensor tensor_of(const conformance::Tensor& tensor) {
  nnrt::Tensor result;
  result.name = tensor.name;
  result.dtype = static_cast<nnrt::DType>(tensor.dataType);
  result.format = static_cast<nnrt::Format>(tensor.format);
  result.shape.assign(tensor.shape.begin(), tensor.shape.end());
  result.role = tensor.type;
  if (tensor.quant) result.quant = {tensor.quant->scales, tensor.quant->zeroPoints};
  return result;
}

void require(const nnrt::Status& status, const conformance::Case& golden) {
  if (!status.ok()) throw std::runtime_error(golden.name + ": " + status.error().message);
}

nnrt::GraphPtr graph_of(const conformance::Case& golden) {
  nnrt::GraphBuilder builder;
  for (uint32_t i = 0; i < golden.tensors.size(); ++i) {
    require(builder.add_tensor(tensor_of(golden.tensors[i])), golden);
    if (golden.tensors[i].data)
      require(builder.set_data(i, std::as_bytes(std::span(*golden.tensors[i].data))), golden);
  }
  for (const conformance::Operation& operation : golden.operations) {
    require(builder.add_operation(operation.type, operation.params, operation.inputs, operation.outputs),
            golden);
  }
  require(builder.specify(golden.inputs, golden.outputs), golden);
  require(builder.finish(), golden);
  return builder.graph();
}

}  // namespace

std::vector<nnrt::GraphPtr> load_golden_graphs(const std::string& folder) {
  conformance::Collection collection;
  conformance::load(folder, collection);
  std::vector<nnrt::GraphPtr> graphs;
  for (const conformance::Case& golden : collection.cases) {
    if (!golden.reject) graphs.push_back(graph_of(golden));
  }
  return graphs;
}
