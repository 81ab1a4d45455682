// Random nodes of which one fact was changed to another that may be as good: what core takes of these,
// devices take as well, or refuse for what they can, before they are asked to prepare it.
#pragma once

#include "tests/support/random/random_node.h"

namespace nnrt::test {

// The valid node of this seed, and what was changed of it: values of parameters and constants, dimensions,
// formats, numbers of optional inputs. Dimensions of its outputs are for inference to find. `contents` fit
// the inputs.
RandomNode corrupted_node(Op op, uint32_t seed);

// A model of this node alone where core takes it, and it is of a size that a test can compute; else null.
GraphPtr sensible_graph_of(const RandomNode& node);

}  // namespace nnrt::test
