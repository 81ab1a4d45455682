// Constant folding of trivial nodes.
#pragma once

#include "tools/import/onnx/messages/onnx_messages.h"

namespace nnrt::import::onnx {

// Turns Constant, Identity, Reshape and Transpose of constant matrices into initializers, as exporters wrap
// weights in them. Initializers listed as inputs (in old files) lose that role. The nodes must be in
// topological order.
void gather_constants(onnx_file::GraphProto& graph);

// Removes initializers that no node, body or output reads.
void remove_unread_constants(onnx_file::GraphProto& graph);

}  // namespace nnrt::import::onnx
