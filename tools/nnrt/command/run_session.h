// A model that `nnrt run` built through one of the two APIs, and its runs.
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
  std::optional<double> tolerance;  // for each difference; if it is not given, by type
};

struct Answer {
  std::vector<Array> outputs;
  std::vector<double> ms;  // one for each run
};

struct Built {
  std::string device;
  std::optional<size_t> device_id;  // NNAPI's devices have none
  std::vector<import::Tensor> inputs, outputs;
  double build_ms = 0;
  std::function<Result<Answer>(std::span<const Array>)> run;
};

// `options` outlive what is made.
Result<Built> build(const RunOptions& options, const ModelFile& file);

}  // namespace nnrt::tool
