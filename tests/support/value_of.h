#pragma once

#include "core/base/result.h"

#include <stdexcept>
#include <utility>

namespace nnrt::test {

// An error ends the test with its message.
template <typename T>
T value_of(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

}  // namespace nnrt::test
