// Random nodes with one property changed, possibly to another valid value: devices must support whatever core
// accepts, or refuse it before being asked to prepare it.
#pragma once

#include "tests/support/random/random_node.h"

namespace nnrt::test {

// The valid node of this seed with a changed property: parameter and constant values, dimensions, formats, or
// the number of optional inputs. Output shapes are left to inference. `contents` match the inputs.
RandomNode corrupted_node(Op op, uint32_t seed);

// A model of this node if core accepts it and it is small enough to compute; otherwise null.
GraphPtr sensible_graph_of(const RandomNode& node);

}  // namespace nnrt::test
