// Operations of a model that is not compiled, as devices judge them.
#pragma once

#include "core/device/device.h"

#include <vector>

namespace nnrt {

// Asks devices about a graph, which is normalized once for all of them.
class OperationRefusals {
 public:
  static Result<OperationRefusals> of(GraphPtr graph);

  // For each of the client's operations, why a part of it would not run on the device, or nothing: the
  // judgement of compile(). Operations on constants alone are judged like others, though compile() may
  // compute them. A plugin that answers for fewer operations is passed on as it is.
  Result<std::vector<Refusal>> by(const Device& device) const;

 private:
  GraphPtr graph_, lowered_;
  std::vector<bool> is_lowered_;  // for each operation, whether something of it is left
};

// The same of one device, as clients ask for it.
Result<std::vector<bool>> supported_operations(const GraphPtr& graph, const Device& device);

}  // namespace nnrt
