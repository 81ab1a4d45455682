// Names the operators of a file for reports.
#pragma once

#include "tools/import/network/network.h"

namespace nnrt::import {

// Ranks operations by how much they say about what they are a part of: moving elements and converting them
// less than arithmetic on each of them, and that less than everything else.
int importance(OH_NN_OperationType type);

// "Conv + Relu", and "Conv /features/0/conv + Relu".
std::string operators_of(const Layer& layer);
std::string label_of(const Layer& layer);

}  // namespace nnrt::import
