#include "backends/host/server/withheld_constants.h"

#include "core/base/text.h"
#include "core/memory/deferred_bytes.h"

#include <mutex>
#include <set>

namespace nnrt::host {

struct WithheldConstants::State {
  std::mutex mutex;
  std::set<TensorId> ids;
};

WithheldConstants::WithheldConstants() : state_(std::make_shared<State>()) {}

SharedBytes WithheldConstants::add(TensorId id, size_t bytes) {
  return deferred_bytes(bytes, bytes, [state = state_, id](std::span<std::byte>) -> Status {
    const std::lock_guard lock(state->mutex);
    state->ids.insert(id);
    return Error{Code::failed, cat("The client has not sent the data of tensor ", id, ".")};
  });
}

std::vector<TensorId> WithheldConstants::requested() const {
  const std::lock_guard lock(state_->mutex);
  return {state_->ids.begin(), state_->ids.end()};
}

}  // namespace nnrt::host
