// What is left of a graph once devices have made what they compute with of its constants.
#pragma once

#include "core/graph/graph.h"

namespace nnrt {

// The graph without the data of constants that inference of shapes does not look at. These tensors stay
// constants, of no bytes. What is left is copied, so that it keeps nothing larger in memory.
GraphPtr drop_weights(const Graph& graph);

// What such a constant has for its data.
SharedBytes dropped_data();

// Of all constants.
size_t data_bytes(const Graph& graph);

// Gives the system what was freed, where it is much: the allocator may have other plans for it.
void trim_heap(size_t freed);

}  // namespace nnrt
