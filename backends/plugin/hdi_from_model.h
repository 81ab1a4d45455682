// A driver's model as a graph of ours: for tests, and for drivers that let devices of this runtime compute.
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <neural_network_runtime/hdi/v2_0/model_types.h>

namespace nnrt::plugin {

// Constants are copied. Tensors keep the model's numbers. Shapes are inferred; a node that makes no sense has
// a diagnosis. invalid_parameter: an index or a buffer that is not there; unsupported: a node of no operator.
Result<Graph> to_graph(const ::nnrt::hdi::V2_0::Model& model);

}  // namespace nnrt::plugin
