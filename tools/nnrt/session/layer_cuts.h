// Models cut after a layer; everything before the cut is fused and computed as in the complete model.
#pragma once

#include "tools/nnrt/session/layer_outputs.h"

namespace nnrt::tool {

// The tensors live after `all[last]`: written by layers up to it, and read by later layers or the client.
// `all` are the layer outputs in the model's order. At most kMaxModelOutputs, the latest ones.
std::vector<LayerOutput> left_behind(const import::Network& network, std::span<const LayerOutput> all,
                                     size_t last);

// The model with these outputs instead of its own, without operations they do not depend on.
ModelFile cut_at(const ModelFile& file, std::span<const LayerOutput> outputs);

}  // namespace nnrt::tool
