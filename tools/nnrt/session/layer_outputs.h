// Tensors between the operators of a model's file, which can be made outputs of the model.
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

// Floats and quantized values that one operator of the file writes for another one, or for the client. In the
// model's order.
std::vector<LayerOutput> layer_outputs(const import::Network& network);

// A tensor by itself, without a layer's name.
LayerOutput layer_output(const import::Network& network, import::TensorId tensor);

// The outputs that one model is given: the API takes 200.
inline constexpr size_t kMaxModelOutputs = 64;

// So many of them, from the first on, as one model may give in bounded memory.
std::vector<std::span<const LayerOutput>> in_parts(std::span<const LayerOutput> outputs);

// The model with these outputs instead of its own.
ModelFile with_outputs(const ModelFile& file, std::span<const LayerOutput> outputs);

}  // namespace nnrt::tool
