// Builds a model once and runs it on many samples.
#pragma once

#include "tools/nnrt/data/samples.h"
#include "tools/nnrt/session/executable.h"

#include <memory>
#include <optional>

namespace nnrt::tool {

class SampleRunner {
 public:
  // The options control image normalization.
  SampleRunner(Executable executable, InputOptions options)
      : executable_(std::make_unique<Executable>(std::move(executable))), options_(std::move(options)) {}

  // Fails after Ctrl-C, where it is caught.
  Result<std::vector<Array>> run(const Sample& sample);

  const Executable& executable() const { return *executable_; }
  // Milliseconds of the last run, excluding reading the sample.
  double ms() const { return ms_; }

 private:
  std::unique_ptr<Executable> executable_;  // the runner keeps a reference
  InputOptions options_;
  std::optional<Runner> runner_;
  double ms_ = 0;
};

}  // namespace nnrt::tool
