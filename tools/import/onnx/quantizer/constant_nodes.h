// Nodes that give constants.
#pragma once

#include "tools/import/onnx/onnx.pb.h"

namespace nnrt::import::onnx {

// Makes initializers of what Constant, Identity, Reshape and Transpose of matrices give for constants, as
// exporters write them around weights. What files of old list among the inputs is an initializer alone. The
// nodes are in an order in which they can run.
void gather_constants(onnx_file::GraphProto& graph);

// Takes away the initializers that neither nodes, bodies nor outputs read.
void remove_unread_constants(onnx_file::GraphProto& graph);

}  // namespace nnrt::import::onnx
