// Extensions that MindSpore Lite passes with a graph.
#pragma once

#include "core/base/result.h"
#include "mindspore/model/source_graph.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <span>

namespace nnrt {

// invalid_parameter if they cannot be an array of extensions.
Result<std::span<const OH_NN_Extension>> checked_extensions(const OH_NN_Extension* extensions, size_t count);

// InputDims replaces the shapes of the graph's inputs if DynamicDims is given too. All other extensions
// configure drivers and are ignored. The graph's inputs must exist.
Status apply_extensions(std::span<const OH_NN_Extension> extensions, mindspore::SourceGraph& graph);

}  // namespace nnrt
