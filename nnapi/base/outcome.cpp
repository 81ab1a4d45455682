#include "nnapi/base/outcome.h"

namespace nnrt::nnapi {

ResultCode code_of(Code code) {
  switch (code) {
    case Code::invalid_parameter:
    case Code::unsupported:
    case Code::dynamic_shape:
    case Code::invalid_file:
    case Code::invalid_path:
    case Code::save_cache: return ANEURALNETWORKS_BAD_DATA;
    case Code::forbidden: return ANEURALNETWORKS_BAD_STATE;
    case Code::memory: return ANEURALNETWORKS_OUT_OF_MEMORY;
    case Code::timeout: return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
    case Code::unavailable_device: return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
    case Code::connection: return ANEURALNETWORKS_DEAD_OBJECT;
    case Code::failed: break;
  }
  return ANEURALNETWORKS_OP_FAILED;
}

ResultCode code_of_run(Code code) {
  const ResultCode result = code_of(code);
  const bool is_of_call = result == ANEURALNETWORKS_BAD_DATA || result == ANEURALNETWORKS_BAD_STATE;
  return is_of_call ? ANEURALNETWORKS_OP_FAILED : result;
}

Outcome::Outcome(Error error) : failure_({code_of(error.code), std::move(error.message)}) {}

Outcome::Outcome(Status status) {
  if (!status.ok()) failure_ = Outcome(std::move(status).error()).failure_;
}

}  // namespace nnrt::nnapi
