#include "backends/host/server/withheld_constants.h"

#include "core/base/text.h"
#include "core/memory/deferred_bytes.h"

#include <mutex>
#include <set>

namespace nnrt::host {

struct WithheldConstants::Wanted {
  std::mutex mutex;
  std::set<TensorId> ids;
};

WithheldConstants::WithheldConstants() : wanted_(std::make_shared<Wanted>()) {}

SharedBytes WithheldConstants::add(TensorId id, size_t bytes) {
  return deferred_bytes(bytes, bytes, [wanted = wanted_, id](std::span<std::byte>) -> Status {
    const std::lock_guard lock(wanted->mutex);
    wanted->ids.insert(id);
    return Error{Code::failed, cat("The client has not sent the data of tensor ", id, ".")};
  });
}

std::vector<TensorId> WithheldConstants::wanted() const {
  const std::lock_guard lock(wanted_->mutex);
  return {wanted_->ids.begin(), wanted_->ids.end()};
}

}  // namespace nnrt::host
