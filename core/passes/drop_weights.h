// Drops weights after devices have prepacked them.
#pragma once

#include "core/graph/graph.h"

namespace nnrt {

// Constants up to this size are kept: not worth dropping, and shapes depend on few numbers.
inline constexpr size_t kKeptBytes = 1024;

// Returns the graph without the data of larger constants that shape inference does not read. These tensors
// remain constants, with zero bytes. The remaining data is copied, so that it does not keep a larger buffer
// alive.
GraphPtr drop_weights(const Graph& graph);

// The data of a dropped constant.
SharedBytes dropped_data();

// Total bytes of all constants.
size_t data_bytes(const Graph& graph);

// Returns freed memory to the system if there is enough of it; the allocator may keep it otherwise.
void trim_heap(size_t freed);

}  // namespace nnrt
