// The error to report when parallel work fails.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

namespace nnrt {

// Keeps the error with the lowest index, so that the result does not depend on timing. add() is thread-safe.
class FirstError {
 public:
  void add(size_t index, Error error) {
    const std::lock_guard lock(mutex_);
    if (!first_ || index < first_->first) first_.emplace(index, std::move(error));
  }
  // Once all threads are done.
  Status take() { return first_ ? Status(std::move(first_->second)) : Status(); }

 private:
  std::mutex mutex_;
  std::optional<std::pair<size_t, Error>> first_;
};

}  // namespace nnrt
