// 1 x 1 convolutions to one channel read NCHW directly instead of its transpose.
#pragma once

#include "core/graph/graph.h"

namespace nnrt::cpu {

// TRANSPOSE to NHWC, CONV2D of one image with one filter of one tap -> MATMUL of the filter and the planes.
// Its result has one channel, so both layouts are the same. FLOAT32 only.
Graph with_plane_products(const Graph& graph);

}  // namespace nnrt::cpu
