// Tensors without elements, of which a dimension is 0.
#pragma once

#include "tools/import/network/network.h"

namespace nnrt::import {

// OH_NN declares no dimension of 0: each becomes -1, which the runtime infers to be 0. A constant without
// elements becomes the result of an operation.
void open_empty_dimensions(Network& network);

}  // namespace nnrt::import
