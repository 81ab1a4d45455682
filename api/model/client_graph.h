// Models made from a graph of MindSpore Lite.
#pragma once

#include "api/base/api_handles.h"
#include "mindspore/model/source_graph.h"

namespace nnrt {

// Makes the model from a graph. Nodes without an equivalent are refused by Build and by
// GetAvailableOperations. The model keeps `owner` alive; on failure nothing does.
Status build_from(SharedModel& model, const mindspore::SourceGraph& source,
                  std::shared_ptr<const void> owner);

// Whether each node is supported, from whether each operation is.
std::vector<bool> supported_nodes(const ClientGraph& client, const std::vector<bool>& operations);

}  // namespace nnrt
