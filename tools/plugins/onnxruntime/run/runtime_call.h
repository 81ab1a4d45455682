// Calls of the C API as Results whose errors hold the runtime's reason.
#pragma once

#include "core/base/result.h"
#include "core/base/text.h"
#include "tools/import/last_error.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <string_view>

namespace nnrt::ep {

inline Status called(OH_NN_ReturnCode code, std::string_view call) {
  if (code == OH_NN_SUCCESS) return {};
  const std::string reason = import::last_error();
  return Error{static_cast<Code>(code), reason.empty() ? cat(call, " returns ", code, ".") : reason};
}

inline Error made_nothing(std::string_view call) {
  const std::string reason = import::last_error();
  return {Code::memory, reason.empty() ? cat(call, " returns null.") : reason};
}

}  // namespace nnrt::ep
