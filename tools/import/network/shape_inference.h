// Infers output shapes with the runtime's rules, for files that lack shapes or store those of other inputs.
#pragma once

#include "tools/import/network/network_builder.h"

#include <functional>

namespace nnrt::import {

// Infers the output shapes of the builder's operations from `first` on, as far as they are known. Small
// results of constants (shape arithmetic) become constants and their operations are dropped, unless
// `is_output` requires the tensor to be computed. `has_rank` tells whether a tensor's current rank is
// reliable.
struct Inference {
  std::function<bool(TensorId)> is_output, has_rank;

  Status complete(NetworkBuilder& builder, size_t first) const;
};

// Infers the result shapes of an operation. The outputs must have dtypes; their current shapes are used for
// dynamic dimensions.
Result<List<Shape>> result_shapes(const NetworkBuilder& builder, const Operation& operation);

}  // namespace nnrt::import
