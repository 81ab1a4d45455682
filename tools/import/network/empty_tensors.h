// Tensors with a dimension of 0.
#pragma once

#include "tools/import/network/network.h"

namespace nnrt::import {

// OH_NN cannot declare a dimension of 0, so it becomes -1 and is inferred as 0 at run time. An empty constant
// becomes the result of an operation.
void open_empty_dimensions(Network& network);

}  // namespace nnrt::import
