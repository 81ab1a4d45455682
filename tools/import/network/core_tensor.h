// Converts a network's tensors to core types, and back.
#pragma once

#include "core/graph/graph.h"
#include "tools/import/network/network.h"

namespace nnrt::import {

nnrt::Tensor to_core(const Tensor& tensor);
// The caller has checked that the dimensions fit.
Tensor from_core(nnrt::Tensor tensor);

}  // namespace nnrt::import
