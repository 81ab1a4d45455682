// Tensors between the operators of the file, which can be made outputs of the model.
#pragma once

#include "tools/nnrt/data/model_file.h"

#include <span>
#include <string>
#include <vector>

namespace nnrt::tool {

struct LayerOutput {
  std::string layer;  // "Conv /features/0/conv"
  import::TensorId tensor = 0;
  uint64_t bytes = 0;  // 0: not known before the run
};

// Float and quantized tensors written by one operator of the file and read by another or by the client, in
// the model's order.
std::vector<LayerOutput> layer_outputs(const import::Network& network);

// What the layer that writes the tensor reads from others, except constants.
std::vector<import::TensorId> layer_inputs(const import::Network& network, import::TensorId tensor);

// A tensor without a layer's name.
LayerOutput layer_output(const import::Network& network, import::TensorId tensor);

// Maximum number of outputs of a model; the API allows 200.
inline constexpr size_t kMaxModelOutputs = 64;

// Splits them so that each part fits one model in number and memory.
std::vector<std::span<const LayerOutput>> in_parts(std::span<const LayerOutput> outputs);

// The model with these outputs instead of its own.
ModelFile with_outputs(const ModelFile& file, std::span<const LayerOutput> outputs);

}  // namespace nnrt::tool
