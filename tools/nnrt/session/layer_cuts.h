// Models that end at a layer: what lies before it is fused and computed as in the whole model.
#pragma once

#include "tools/nnrt/session/layer_outputs.h"

namespace nnrt::tool {

// Returns what the layers up to `all[last]` have made and others than they need: later layers, or the client.
// `all` are the layers' outputs in the model's order. At most as many as one model may give, the latest ones.
std::vector<LayerOutput> left_behind(const import::Network& network, std::span<const LayerOutput> all,
                                     size_t last);

// The model with these outputs instead of its own, without the operations that none of them needs.
ModelFile cut_at(const ModelFile& file, std::span<const LayerOutput> outputs);

}  // namespace nnrt::tool
