// A model built by `nnrt run` through either API, and its runs.
#pragma once

#include "tools/nnrt/command/command_options.h"

#include <functional>
#include <optional>
#include <span>

namespace nnrt::tool {

struct RunOptions {
  ModelOptions model;
  std::string labels, output, compare, api = "oh_nn";
  unsigned runs = 1;
  bool async = false, json = false;
  std::optional<double> tolerance;  // for all outputs; by default depends on the type
};

struct Answer {
  std::vector<Array> outputs;
  std::vector<double> ms;  // one per run
};

struct Built {
  std::string device;
  std::optional<size_t> device_id;  // none for NNAPI devices
  std::vector<import::Tensor> inputs, outputs;
  double build_ms = 0;
  std::function<Result<Answer>(std::span<const Array>)> run;
};

struct Started {
  ModelFile file;
  Built model;
};

// Opens and builds the model. `options` must outlive the result.
Result<Started> start(const RunOptions& options);

}  // namespace nnrt::tool
