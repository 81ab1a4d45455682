// Keeps quantized embedding tables quantized.
#pragma once

#include "core/graph/graph.h"

namespace nnrt {

// GATHER of a constant dequantized by QUANT_DTYPE_CAST becomes QUANT_DTYPE_CAST of GATHER of the constant, so
// that the table stays quantized in memory; fold_constants() would dequantize all its rows. Each new node has
// the position of the node that it replaces.
GraphPtr gather_quantized(const GraphPtr& graph);

}  // namespace nnrt
