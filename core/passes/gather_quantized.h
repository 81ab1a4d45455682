// Tables of quantized values from which GATHER takes rows.
#pragma once

#include "core/graph/graph.h"

namespace nnrt {

// GATHER of a constant that QUANT_DTYPE_CAST dequantizes becomes QUANT_DTYPE_CAST of what GATHER took of the
// constant: an embedding stays quantized in memory, where fold_constants() would make floats of all its rows.
// Each of the two nodes has the position of the one whose result it writes or makes superfluous.
GraphPtr gather_quantized(const GraphPtr& graph);

}  // namespace nnrt
