// A model compiled for a device, and runs of it.
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
  bool fallback = true;      // to the CPU
  std::string cache;         // directory; empty: none
  std::string placement;     // file for the report of what runs where; empty: none
  std::string device_local;  // the home of tensors that may stay on the device; empty: as the runtime decides
  std::string trace;         // file for the trace; empty: none
};

class Executable {
 public:
  static Result<Executable> build(const ModelFile& model, const Device& device, const BuildOptions& options);

  const Device& device() const { return device_; }
  // As the model declares them, with -1 for what is known only in a run. An offline model without a
  // description has no quantization.
  const std::vector<import::Tensor>& inputs() const { return inputs_; }
  const std::vector<import::Tensor>& outputs() const { return outputs_; }
  double build_ms() const { return build_ms_; }
  OH_NNCompilation* compilation() const { return compilation_.get(); }

 private:
  Device device_;
  import::CompilationHandle compilation_;
  std::vector<import::Tensor> inputs_, outputs_;
  double build_ms_ = 0;
};

// One executor with its tensors. Not for two threads at once.
class Runner {
 public:
  static Result<Runner> create(const Executable& executable, std::span<const Array> inputs);

  // Other inputs from the next run on.
  Status load(std::span<const Array> inputs);
  // Outputs whose size is known only in the run get the memory that they need.
  Status run();
  // By OH_NNExecutor_RunAsync; returns when the run ended.
  Status run_async();
  // The outputs of the last run.
  Result<std::vector<Array>> outputs() const;

 private:
  Status call(bool async);
  // Returns whether some output had too little room, and has enough now.
  Result<bool> grow();

  const Executable* executable_ = nullptr;
  import::ExecutorHandle executor_;
  std::vector<import::TensorHandle> inputs_, outputs_;
  std::vector<Shape> input_shapes_;
};

// The outputs of a model that is built for one run.
Result<std::vector<Array>> outputs_on(const Device& device, const ModelFile& model,
                                      const BuildOptions& options, std::span<const Array> inputs);

}  // namespace nnrt::tool
