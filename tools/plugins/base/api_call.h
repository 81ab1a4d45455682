// Wraps calls of the C API in Results whose errors hold the reason.
#pragma once

#include "core/base/text.h"
#include "tools/import/last_error.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <string_view>

namespace nnrt::plugins {

inline Status check(OH_NN_ReturnCode code, std::string_view call) {
  if (code == OH_NN_SUCCESS) return {};
  return Error{static_cast<Code>(code),
               import::with_last_error(cat(call, " returns ", static_cast<int>(code), "."))};
}

// Takes ownership of a handle returned by a call.
template <typename Handle>
Result<Handle> own(typename Handle::pointer made, std::string_view call) {
  if (made == nullptr) return Error{Code::failed, import::with_last_error(cat(call, " returns null."))};
  return Handle(made);
}

}  // namespace nnrt::plugins
