#include "tools/nnrt/quantize/observed_model.h"

#include "tools/nnrt/data/results.h"
#include "tools/nnrt/session/layer_outputs.h"

#include <numeric>

namespace nnrt::tool {

std::vector<import::Tensor> ObservedModel::inputs() const {
  std::vector<import::Tensor> inputs;
  for (const import::TensorId id : file_.network->inputs) inputs.push_back(file_.network->tensors[id]);
  return inputs;
}

std::vector<ObservedModel::Part> ObservedModel::parts() const {
  std::vector<LayerOutput> outputs;
  for (const import::TensorId id : file_.network->outputs)
    outputs.push_back(layer_output(*file_.network, id));
  std::vector<Part> parts;
  size_t first = 0;
  for (const std::span<const LayerOutput> part : in_parts(outputs)) {
    Part& made = parts.emplace_back(part.size());
    std::iota(made.begin(), made.end(), first);
    first += part.size();
  }
  return parts;
}

Result<Executable> ObservedModel::build(const Part& part, const Device& device) const {
  ModelFile changed = file_;
  changed.network->outputs.clear();
  for (const size_t i : part) changed.network->outputs.push_back(file_.network->outputs[i]);
  return Executable::build(changed, device, {});
}

std::span<const float> floats_of(const Array& array) {
  if (array.type != OH_NN_FLOAT32) return {};
  return {reinterpret_cast<const float*>(array.bytes.data()), array.bytes.size() / sizeof(float)};
}

Result<Array> dequantized(const import::Tensor& tensor, const Array& array) {
  NNRT_ASSIGN(Array made, make_array(OH_NN_FLOAT32, array.shape));
  for (size_t i = 0; i < array.count(); ++i) made.set(i, real({tensor, array}, i));
  return made;
}

}  // namespace nnrt::tool
