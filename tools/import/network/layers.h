// Names a file's operators for reports.
#pragma once

#include "tools/import/network/network.h"

namespace nnrt::import {

// Ranks operations by how well they characterize a layer: data movement and conversions lowest, then
// elementwise arithmetic, then everything else.
int importance(Op type);

// "Conv + Relu" and "Conv /features/0/conv + Relu".
std::string operators_of(const Layer& layer);
std::string label_of(const Layer& layer);

}  // namespace nnrt::import
