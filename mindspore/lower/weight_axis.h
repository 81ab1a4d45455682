// The dimension along which per-channel scales of weights run.
#pragma once

#include "mindspore/model/source_graph.h"

namespace nnrt::mindspore {

// For nodes with float data. `gather_axis` counts for a gather only. The primitive must be set.
size_t weight_axis(const SourceGraph& graph, const SourceNode& node, size_t input, int64_t gather_axis);

}  // namespace nnrt::mindspore
