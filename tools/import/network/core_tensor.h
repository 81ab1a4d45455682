// Converts a network's tensors for the runtime's own rules.
#pragma once

#include "core/graph/graph.h"
#include "tools/import/network/network.h"

namespace nnrt::import {

nnrt::Tensor to_core(const Tensor& tensor);
nnrt::Tensor to_core(const Parameter& parameter);

}  // namespace nnrt::import
