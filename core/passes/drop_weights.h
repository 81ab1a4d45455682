// Graphs without weights, for the time after devices prepacked them.
#pragma once

#include "core/graph/graph.h"

namespace nnrt {

// Returns the graph without the data of constants that inference of shapes does not look at. These tensors
// stay constants, of no bytes. The other data are copied, so that they keep nothing larger in memory.
GraphPtr drop_weights(const Graph& graph);

// The data of such a constant.
SharedBytes dropped_data();

// The bytes of all constants.
size_t data_bytes(const Graph& graph);

// Gives the system what was freed, where it is much: the allocator may have other plans for it.
void trim_heap(size_t freed);

}  // namespace nnrt
