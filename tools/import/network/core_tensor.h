// Converts a network's tensors to core types.
#pragma once

#include "core/graph/graph.h"
#include "tools/import/network/network.h"

namespace nnrt::import {

nnrt::Tensor to_core(const Tensor& tensor);
nnrt::Tensor to_core(const Parameter& parameter);

}  // namespace nnrt::import
