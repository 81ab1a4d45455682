// A model compiled for a device, and its runs.
#pragma once

#include "tools/nnrt/base/array.h"
#include "tools/nnrt/data/model_file.h"
#include "tools/nnrt/session/api_calls.h"

#include <span>
#include <string>
#include <vector>

namespace nnrt::tool {

struct BuildOptions {
  bool float16 = false;
  bool fallback = true;           // run unsupported operations on the CPU
  bool exports = false;           // keep the weights that an export needs
  std::string cache;              // directory; empty: none
  bool cache_by_content = false;  // recognize the model by its contents, not by path and time stamps
  std::string placement;          // file for the placement report; empty: none
  std::string device_local;       // "nnrt.device_local"; empty: the runtime's default
  std::string trace;              // file for the trace; empty: none
};

class Executable {
 public:
  static Result<Executable> build(const ModelFile& model, const Device& device, const BuildOptions& options);
  // The only build of the model, whose constants are released before the runtime converts its own.
  static Result<Executable> build_once(ModelFile& model, const Device& device, const BuildOptions& options);

  const Device& device() const { return device_; }
  // As declared by the model, with -1 for dynamic dimensions. An offline model without a description has
  // no quantization.
  const std::vector<import::Tensor>& inputs() const { return inputs_; }
  const std::vector<import::Tensor>& outputs() const { return outputs_; }
  double build_ms() const { return build_ms_; }
  OH_NNCompilation* compilation() const { return compilation_.get(); }

 private:
  // `released`: the model's network, or null.
  static Result<Executable> build(const ModelFile& model, const Device& device, const BuildOptions& options,
                                  import::Network* released);

  Device device_;
  import::CompilationHandle compilation_;
  std::vector<import::Tensor> inputs_, outputs_;
  double build_ms_ = 0;
};

// One executor with its tensors. Not thread-safe.
class Runner {
 public:
  static Result<Runner> create(const Executable& executable, std::span<const Array> inputs);

  // Sets the inputs of the following runs.
  Status load(std::span<const Array> inputs);
  // Reallocates outputs of dynamic size as needed.
  Status run();
  // Runs through OH_NNExecutor_RunAsync and waits for the end.
  Status run_async();
  // The outputs of the last run.
  Result<std::vector<Array>> outputs() const;

 private:
  Status call(bool async);
  // Enlarges outputs that were too small; returns whether there were any.
  Result<bool> grow();

  const Executable* executable_ = nullptr;
  import::ExecutorHandle executor_;
  std::vector<import::TensorHandle> inputs_, outputs_;
  std::vector<Shape> input_shapes_;
};

// Builds the model, runs it once and returns the outputs.
Result<std::vector<Array>> outputs_on(const Device& device, const ModelFile& model,
                                      const BuildOptions& options, std::span<const Array> inputs);

}  // namespace nnrt::tool
