#include "tools/nnrt/session/sample_runner.h"

#include "core/base/text.h"
#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/base/interrupt.h"

#include <cmath>

namespace nnrt::tool {

namespace {

Status check_numbers(const Sample& sample, std::span<const import::Tensor> tensors,
                     std::span<const Array> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t element = 0; element < inputs[i].count(); ++element) {
      if (!std::isnan(inputs[i][element])) continue;
      return invalid("Sample (", sample.name, ") has NaN in input ", tensors[i].name, " at ",
                     position(inputs[i].shape, element), ".");
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Array>> SampleRunner::run(const Sample& sample) {
  if (interrupted())
    return Error{Code::failed, cat("Interrupted before sample ", sample.name, "; nothing was written.")};
  NNRT_ASSIGN(std::vector<Input> read, read_sample(sample, executable_->inputs(), options_));
  const std::vector<Array> inputs = arrays_of(std::move(read));
  NNRT_TRY(check_numbers(sample, executable_->inputs(), inputs));
  if (runner_) {
    NNRT_TRY(runner_->load(inputs));
  } else {
    NNRT_ASSIGN(runner_, Runner::create(*executable_, inputs));
  }
  const Stopwatch stopwatch;
  NNRT_TRY(runner_->run());
  ms_ = stopwatch.ms();
  return runner_->outputs();
}

}  // namespace nnrt::tool
