// Shapes of operations' outputs by the runtime's own rules: for readers whose file lacks them, or has those
// of other inputs.
#pragma once

#include "tools/import/network/network_builder.h"

#include <functional>

namespace nnrt::import {

// Completes the operations of the builder from `first` on: each output gets the shape that follows from those
// of the inputs, as far as it is known. A small result of constants alone, the arithmetic of shapes, becomes
// a constant, and its operation is left out, unless `is_output` says of the tensor that it has to be
// computed. `has_rank` says whether the rank that the tensor has by now is true.
struct Inference {
  std::function<bool(TensorId)> is_output, has_rank;

  Status complete(NetworkBuilder& builder, size_t first) const;
};

// The shapes of an operation's results by the runtime's own rules. The outputs have their dtypes; the shapes
// that they have count where only a run knows the result's.
Result<std::vector<Shape>> result_shapes(const NetworkBuilder& builder, const Operation& operation);

}  // namespace nnrt::import
