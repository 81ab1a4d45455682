#include "tools/nnrt/session/layer_cuts.h"

#include <algorithm>

namespace nnrt::tool {
namespace {

// Per tensor, the operation writing it and the last one reading it; network outputs are never dead.
struct Uses {
  explicit Uses(const import::Network& network)
      : writers(network.tensors.size(), 0), readers(network.tensors.size(), 0) {
    for (size_t i = 0; i < network.operations.size(); ++i) {
      for (const import::TensorId id : network.operations[i].outputs) writers[id] = i;
      for (const import::TensorId id : network.operations[i].inputs) readers[id] = i;
    }
    for (const import::TensorId id : network.outputs) readers[id] = network.operations.size();
  }

  std::vector<size_t> writers, readers;
};

}  // namespace

std::vector<LayerOutput> left_behind(const import::Network& network, std::span<const LayerOutput> all,
                                     size_t last) {
  const Uses uses(network);
  const size_t place = uses.writers[all[last].tensor];
  std::vector<LayerOutput> left;
  for (const LayerOutput& output : all) {
    if (uses.writers[output.tensor] <= place && uses.readers[output.tensor] > place) left.push_back(output);
  }
  return {left.end() - std::ptrdiff_t(std::min(left.size(), kMaxModelOutputs)), left.end()};
}

ModelFile cut_at(const ModelFile& file, std::span<const LayerOutput> outputs) {
  ModelFile cut = with_outputs(file, outputs);
  std::vector<bool> is_needed(cut.network->tensors.size(), false);
  for (const import::TensorId id : cut.network->outputs) is_needed[id] = true;
  std::vector<import::Operation>& operations = cut.network->operations;
  for (size_t i = operations.size(); i-- > 0;) {
    const import::Operation& operation = operations[i];
    if (std::ranges::none_of(operation.outputs, [&](import::TensorId id) { return is_needed[id]; })) {
      operations.erase(operations.begin() + std::ptrdiff_t(i));
    } else {
      for (const import::TensorId id : operation.inputs) is_needed[id] = true;
    }
  }
  return cut;
}

}  // namespace nnrt::tool
