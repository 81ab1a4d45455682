// Random nodes of which one property was changed to another that may be as good: devices support those that
// core accepts, or refuse them before they are asked to prepare them.
#pragma once

#include "tests/support/random/random_node.h"

namespace nnrt::test {

// The valid node of this seed, and what was changed of it: values of parameters and constants, dimensions,
// formats, numbers of optional inputs. Dimensions of its outputs are for inference to find. `contents` fit
// the inputs.
RandomNode corrupted_node(Op op, uint32_t seed);

// A model of this node alone if core accepts it, and it is of a size that a test can compute; else null.
GraphPtr sensible_graph_of(const RandomNode& node);

}  // namespace nnrt::test
