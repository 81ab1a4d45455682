#include "tools/nnrt/session/sample_runner.h"

#include "tools/nnrt/base/clock.h"

namespace nnrt::tool {

Result<std::vector<Array>> SampleRunner::run(const Sample& sample) {
  NNRT_ASSIGN(const std::vector<Array> inputs, read_sample(sample, executable_->inputs(), options_));
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
