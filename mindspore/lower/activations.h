// Activations, of nodes and as attributes of other nodes.
#pragma once

#include "mindspore/lower/node_lowering.h"

namespace nnrt::mindspore {

// The activation of a value, as separate nodes.
Value activate(Lowering& op, const Value& value, ActivationType type, float alpha, float min, float max,
               bool approximate);

}  // namespace nnrt::mindspore
