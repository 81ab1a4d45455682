// A model built by `nnrt run`, and its runs.
#pragma once

#include "tools/nnrt/command/command_options.h"

#include <optional>
#include <span>

namespace nnrt::tool {

struct RunOptions {
  ModelOptions model;
  std::string labels, output;
  std::vector<std::string> compare;  // a device, or references
  unsigned runs = 1;
  bool async = false, json = false;
  std::optional<double> tolerance;  // for all outputs; by default depends on the type
};

struct RunResult {
  std::vector<Array> outputs;
  std::vector<double> ms;  // one per run
};

struct LoadedModel {
  ModelFile file;
  Executable model;
};

// Opens and builds the model.
Result<LoadedModel> start(const RunOptions& options);

Result<RunResult> run(const Executable& model, std::span<const Array> inputs, const RunOptions& options);

}  // namespace nnrt::tool
