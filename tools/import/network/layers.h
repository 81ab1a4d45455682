// How reports name the operators of a file.
#pragma once

#include "tools/import/network/network.h"

namespace nnrt::import {

// How much an operation says about what it is a part of: moving elements and converting them less than
// arithmetic on each of them, and that less than everything else.
int importance(OH_NN_OperationType type);

// "Conv + Relu", and "Conv /features/0/conv + Relu".
std::string operators_of(const Layer& layer);
std::string label_of(const Layer& layer);

}  // namespace nnrt::import
