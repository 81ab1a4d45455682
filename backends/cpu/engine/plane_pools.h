// FLOAT32 pools between two transposes read NCHW directly.
#pragma once

#include "core/graph/graph.h"

namespace nnrt::cpu {

// TRANSPOSE to NHWC, AVG_POOL or MAX_POOL, TRANSPOSE to NCHW -> the pool of NCHW, unless its planes are so
// narrow that the transposes pay off.
Graph with_plane_pools(const Graph& graph);

}  // namespace nnrt::cpu
