// Converts a driver's model back to a graph.
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <neural_network_runtime/hdi/v2_0/model_types.h>

namespace nnrt::plugin {

// Copies constants. Tensors keep the model's numbers. Infers shapes; an invalid node gets a diagnosis.
// invalid_parameter: an index or buffer is out of range. unsupported: a node matches no operator.
Result<Graph> to_graph(const ::nnrt::hdi::V2_0::Model& model);

}  // namespace nnrt::plugin
