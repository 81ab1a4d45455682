// Serializes a MindSpore graph as an .ms file of the schema "MSL2".
#pragma once

#include "mindspore/model/source_graph.h"

namespace nnrt::import::mindspore {

// Constants must be plain and in memory. Fails if the file would exceed the format's 2 GiB.
Result<Bytes> serialize(const nnrt::mindspore::SourceGraph& graph);

}  // namespace nnrt::import::mindspore
