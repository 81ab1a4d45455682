// Failures of the NNAPI front end carry an NNAPI result code; core errors are converted.
#pragma once

#include "core/base/result.h"
#include "core/base/text.h"

#include <android/NeuralNetworksTypes.h>

#include <optional>
#include <string>
#include <utility>

namespace nnrt::nnapi {

// Maps a core error to a result code.
ResultCode code_of(Code code);
// The same during a run, where errors in values and shapes are no longer argument errors.
ResultCode code_of_run(Code code);

struct [[nodiscard]] Failure {
  ResultCode code = ANEURALNETWORKS_OP_FAILED;
  std::string message;
};

class [[nodiscard]] Outcome {
 public:
  Outcome() = default;
  Outcome(Failure failure) : failure_(std::move(failure)) {}
  Outcome(Error error);
  Outcome(Status status);

  bool ok() const { return !failure_.has_value(); }
  ResultCode code() const { return ok() ? ANEURALNETWORKS_NO_ERROR : failure_->code; }
  const Failure& error() const& { return *failure_; }
  Failure&& error() && { return *std::move(failure_); }

 private:
  std::optional<Failure> failure_;
};

template <typename... Parts>
Failure bad_data(const Parts&... parts) {
  return {ANEURALNETWORKS_BAD_DATA, cat(parts...)};
}
template <typename... Parts>
Failure bad_state(const Parts&... parts) {
  return {ANEURALNETWORKS_BAD_STATE, cat(parts...)};
}
template <typename... Parts>
Failure op_failed(const Parts&... parts) {
  return {ANEURALNETWORKS_OP_FAILED, cat(parts...)};
}
template <typename... Parts>
Failure unmappable(const Parts&... parts) {
  return {ANEURALNETWORKS_UNMAPPABLE, cat(parts...)};
}

}  // namespace nnrt::nnapi
