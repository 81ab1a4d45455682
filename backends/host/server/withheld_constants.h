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
  std::vector<TensorId> wanted() const;

 private:
  struct Wanted;
  std::shared_ptr<Wanted> wanted_;
};

}  // namespace nnrt::host
