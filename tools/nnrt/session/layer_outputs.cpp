#include "tools/nnrt/session/layer_outputs.h"

#include "tools/import/network/layers.h"
#include "tools/import/network/network_check.h"

#include <algorithm>

namespace nnrt::tool {
namespace {

// A unique key for the operation's operator in the file.
std::string place_of(const import::Operation& operation) {
  return operation.layer ? std::to_string(*operation.layer) : operation.origin;
}

std::string name_of(const import::Operation& operation, const import::Network& network) {
  return operation.layer ? import::label_of(network.layers[*operation.layer]) : operation.origin;
}

// Per tensor, whether the client or an operator other than its writer reads it.
std::vector<bool> seen_outside(const import::Network& network) {
  std::vector<bool> is_seen(network.tensors.size(), false);
  std::vector<std::string> writers(network.tensors.size());
  for (const import::Operation& operation : network.operations) {
    const std::string place = place_of(operation);
    for (const import::TensorId id : operation.inputs) is_seen[id] = is_seen[id] || writers[id] != place;
    for (const import::TensorId id : operation.outputs) writers[id] = place;
  }
  for (const import::TensorId id : network.outputs) is_seen[id] = true;
  return is_seen;
}

bool is_real(const import::Tensor& tensor) {
  switch (tensor.type) {
    case OH_NN_FLOAT16:
    case OH_NN_FLOAT32:
    case OH_NN_FLOAT64: return true;
    case OH_NN_INT8:
    case OH_NN_UINT8: return !tensor.quantization.empty();
    default: return false;
  }
}

uint64_t bytes_of(const import::Tensor& tensor) {
  const auto bytes = import::byte_count(tensor.type, tensor.shape);
  return bytes.ok() ? bytes.value() : 0;
}

}  // namespace

std::vector<LayerOutput> layer_outputs(const import::Network& network) {
  const std::vector<bool> is_seen = seen_outside(network);
  std::vector<LayerOutput> outputs;
  for (const import::Operation& operation : network.operations) {
    for (const import::TensorId id : operation.outputs) {
      const import::Tensor& tensor = network.tensors[id];
      if (is_seen[id] && is_real(tensor))
        outputs.push_back({name_of(operation, network), id, bytes_of(tensor)});
    }
  }
  return outputs;
}

std::vector<import::TensorId> layer_inputs(const import::Network& network, import::TensorId tensor) {
  std::vector<std::string> writers(network.tensors.size());
  for (const import::Operation& operation : network.operations)
    for (const import::TensorId id : operation.outputs) writers[id] = place_of(operation);
  std::vector<import::TensorId> inputs;
  for (const import::Operation& operation : network.operations) {
    if (place_of(operation) != writers[tensor]) continue;
    for (const import::TensorId id : operation.inputs) {
      const bool is_other = !network.tensors[id].data && writers[id] != writers[tensor];
      if (is_other && std::ranges::find(inputs, id) == inputs.end()) inputs.push_back(id);
    }
  }
  return inputs;
}

LayerOutput layer_output(const import::Network& network, import::TensorId tensor) {
  return {"", tensor, bytes_of(network.tensors[tensor])};
}

std::vector<std::span<const LayerOutput>> in_parts(std::span<const LayerOutput> outputs) {
  constexpr uint64_t kMaxBytes = uint64_t{256} << 20;
  std::vector<std::span<const LayerOutput>> parts;
  while (!outputs.empty()) {
    size_t count = 1;
    for (uint64_t bytes = outputs[0].bytes; count < std::min(outputs.size(), kMaxModelOutputs); ++count) {
      bytes += outputs[count].bytes;
      if (bytes > kMaxBytes) break;
    }
    parts.push_back(outputs.first(count));
    outputs = outputs.subspan(count);
  }
  return parts;
}

ModelFile with_outputs(const ModelFile& file, std::span<const LayerOutput> outputs) {
  ModelFile changed = file;
  changed.network->outputs.clear();
  for (const LayerOutput& output : outputs) changed.network->outputs.push_back(output.tensor);
  return changed;
}

}  // namespace nnrt::tool
