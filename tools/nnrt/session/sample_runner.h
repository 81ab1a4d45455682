// A model that is built once and runs on one sample after the other.
#pragma once

#include "tools/nnrt/data/samples.h"
#include "tools/nnrt/session/executable.h"

#include <memory>
#include <optional>

namespace nnrt::tool {

class SampleRunner {
 public:
  // The options say how images become numbers.
  SampleRunner(Executable executable, InputOptions options)
      : executable_(std::make_unique<Executable>(std::move(executable))), options_(std::move(options)) {}

  Result<std::vector<Array>> run(const Sample& sample);

  const Executable& executable() const { return *executable_; }
  // Returns the milliseconds of the last run, without reading the sample.
  double ms() const { return ms_; }

 private:
  std::unique_ptr<Executable> executable_;  // the runner has its address
  InputOptions options_;
  std::optional<Runner> runner_;
  double ms_ = 0;
};

}  // namespace nnrt::tool
