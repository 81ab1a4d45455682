#include "backends/plugin/driver_call.h"

#include "core/platform/compat.h"

#include <neural_network_runtime/hdi/v2_0/nnrt_types.h>

namespace nnrt::plugin {
namespace {

using namespace ::nnrt::hdi::V2_0;

Code code_of(const Method& method, int32_t code) {
  if (!compat::keeps_device_error_codes()) return method.on_error;
  if (code < 0) return Code::unavailable_device;
  switch (static_cast<uint32_t>(code)) {
    case NNRT_MEMORY_ERROR:
    case NNRT_OUT_OF_MEMORY: return Code::memory;
    case NNRT_TIME_OUT: return Code::timeout;
    case NNRT_INSUFFICIENT_BUFFER:
    case NNRT_INVALID_BUFFER_SIZE:
    case NNRT_INVALID_SHAPE:
    case NNRT_OUT_OF_DIMENTION_RANGES:
      return method.phase == Phase::run ? Code::invalid_parameter : method.on_error;
    case NNRT_INVALID_MODEL_CACHE: return Code::invalid_file;
    case NNRT_NOT_SUPPORT:
    case NNRT_UNSUPPORTED_OP: return method.phase == Phase::build ? Code::failed : Code::unsupported;
    case NNRT_SERVICE_ERROR:
    case NNRT_DEVICE_ERROR: return Code::unavailable_device;
    default: return method.on_error;
  }
}

}  // namespace

Error error_of(const Method& method, int32_t code) {
  return {code_of(method, code), cat(method.name, " of the plugin returned ", code, ".")};
}

}  // namespace nnrt::plugin
