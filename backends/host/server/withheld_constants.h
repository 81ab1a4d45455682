// The constants of a restored model that the client keeps until the device wants them.
#pragma once

#include "core/base/bytes.h"
#include "core/graph/graph.h"

#include <memory>
#include <vector>

namespace nnrt::host {

class WithheldConstants {
 public:
  WithheldConstants();

  // Deferred bytes that cannot be read: reading them only notes that the device wants them.
  SharedBytes add(TensorId id, size_t bytes);
  std::vector<TensorId> requested() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace nnrt::host
