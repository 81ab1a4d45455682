// Results of the tool's functions as exceptions.
#pragma once

#include "python/native/error.h"
#include "tools/nnrt/base/array.h"

#include <utility>

namespace nnrt::python {

[[noreturn]] inline void throw_failure(const Error& error) {
  throw Failure(static_cast<OH_NN_ReturnCode>(error.code), error.message);
}

template <typename T>
T value_of(Result<T> result) {
  if (!result.ok()) throw_failure(result.error());
  return std::move(result).value();
}

}  // namespace nnrt::python
