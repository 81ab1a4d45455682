// Which operations of a model devices support, before it is compiled.
#pragma once

#include "core/device/device.h"

#include <vector>

namespace nnrt {

// Queries devices about a graph, which is normalized once for all of them.
class OperationRefusals {
 public:
  static Result<OperationRefusals> of(GraphPtr graph);

  // For each client operation, why part of it would not run on the device, or empty: the same decision as
  // compile()'s, except that constant operations are treated like others although compile() may fold them. A
  // plugin's shorter answer is returned as is.
  Result<std::vector<Refusal>> by(const Device& device) const;

 private:
  GraphPtr graph_, lowered_;
  std::vector<bool> is_lowered_;  // by operation: whether any part of it remains
};

// The same for one device, as a list of booleans for clients.
Result<std::vector<bool>> supported_operations(const GraphPtr& graph, const Device& device);

}  // namespace nnrt
