#include "tests/support/model_graph.h"

#include "core/memory/deferred_bytes.h"
#include "core/schema/graph_builder.h"
#include "tools/import/load_network.h"

#include <stdexcept>

namespace nnrt::test {
namespace {

void require(Status status) {
  if (!status.ok()) throw std::runtime_error(status.error().message);
}

Tensor tensor_of(const import::Tensor& tensor) {
  Tensor made;
  made.name = tensor.name;
  made.dtype = static_cast<DType>(tensor.type);
  made.format = static_cast<Format>(tensor.format);
  made.shape.assign(tensor.shape.begin(), tensor.shape.end());
  made.quant = {{tensor.quantization.scales.begin(), tensor.quantization.scales.end()},
                {tensor.quantization.zero_points.begin(), tensor.quantization.zero_points.end()}};
  return made;
}

}  // namespace

GraphPtr graph_of_file(const std::filesystem::path& path) {
  const Result<import::Network> network = import::load(path);
  if (!network.ok()) throw std::runtime_error(network.error().message);
  GraphBuilder builder;
  for (const import::Tensor& tensor : network.value().tensors) {
    require(builder.add_tensor(tensor_of(tensor)));
    if (!tensor.data) continue;
    require(ensure_read(tensor.data));
    require(builder.lend_data(static_cast<uint32_t>(builder.tensor_count() - 1), tensor.data));
  }
  for (const import::Operation& operation : network.value().operations) {
    std::vector<uint32_t> parameters;
    for (const import::Parameter& parameter : operation.parameters) {
      import::Tensor tensor;
      tensor.type = parameter.type;
      tensor.shape = parameter.shape;
      Tensor made = tensor_of(tensor);
      made.role = parameter.role;
      parameters.push_back(static_cast<uint32_t>(builder.tensor_count()));
      require(builder.add_tensor(std::move(made)));
      require(builder.set_data(parameters.back(), parameter.value));
    }
    const std::vector<uint32_t> inputs = operation.inputs, outputs = operation.outputs;
    require(builder.add_operation(operation.type, parameters, inputs, outputs));
  }
  const std::vector<uint32_t> inputs = network.value().inputs, outputs = network.value().outputs;
  require(builder.specify(inputs, outputs));
  require(builder.finish());
  return builder.graph();
}

}  // namespace nnrt::test
