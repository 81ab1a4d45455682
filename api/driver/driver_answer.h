// The boundary of a driver's methods: errors and exceptions become NNRT_ReturnCodes and one line in the log.
#pragma once

#include "core/base/exceptions.h"
#include "core/platform/log.h"

#include <neural_network_runtime/hdi/v2_0/nnrt_types.h>

#include <string_view>

namespace nnrt::driver {

namespace hdi = ::nnrt::hdi::V2_0;

// `on_invalid`: what is wrong if the client's argument is.
inline hdi::NNRT_ReturnCode code_of(const Error& error, hdi::NNRT_ReturnCode on_invalid) {
  switch (error.code) {
    case Code::invalid_parameter: return on_invalid;
    case Code::memory: return hdi::NNRT_OUT_OF_MEMORY;
    case Code::forbidden: return hdi::NNRT_OPERATION_FORBIDDEN;
    case Code::invalid_file: return hdi::NNRT_INVALID_MODEL_CACHE;
    case Code::timeout: return hdi::NNRT_TIME_OUT;
    case Code::unsupported: return hdi::NNRT_UNSUPPORTED_OP;
    case Code::unavailable_device: return hdi::NNRT_DEVICE_ERROR;
    default: return hdi::NNRT_FAILED;
  }
}

template <typename Body>
int32_t answer(std::string_view method, hdi::NNRT_ReturnCode on_invalid, const Body& body) noexcept {
  const Status status = catching([&]() -> Status { return body(); });
  if (status.ok()) return hdi::NNRT_SUCCESS;
  best_effort([&] { log_error(method, status.error()); });
  return static_cast<int32_t>(code_of(status.error(), on_invalid));
}

}  // namespace nnrt::driver
