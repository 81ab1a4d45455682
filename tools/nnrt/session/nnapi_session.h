// A model compiled through NNAPI, and its runs; the counterpart of executable.h.
#pragma once

#include "tools/import/nnapi/nnapi_model.h"
#include "tools/nnrt/base/array.h"

#include <span>
#include <string>
#include <vector>

namespace nnrt::tool {

struct NnapiOptions {
  std::string device;    // name, part of a name, gpu or cpu; empty: the runtime chooses
  bool float16 = false;  // allow half precision inside the model
  bool fallback = true;  // to the CPU, in addition to the requested device
};

class NnapiSession {
 public:
  static Result<NnapiSession> build(const import::Network& network, const NnapiOptions& options);

  const std::string& device() const { return device_; }
  const std::vector<import::Tensor>& inputs() const { return inputs_; }
  const std::vector<import::Tensor>& outputs() const { return outputs_; }
  double build_ms() const { return build_ms_; }

  // One run; `async` uses startCompute and waits for the event. `ms` receives the time.
  Result<std::vector<Array>> run(std::span<const Array> inputs, bool async, double& ms) const;

 private:
  using Execution = import::NnapiHandle<ANeuralNetworksExecution>;

  Result<Execution> make_execution() const;
  // `result` receives the run's code, which may be that an output is too small.
  Status compute(ANeuralNetworksExecution* execution, bool async, int& result) const;
  Status set_inputs(ANeuralNetworksExecution* execution, std::span<const Array> inputs) const;
  Result<Shape> shape_of(ANeuralNetworksExecution* execution, size_t output) const;

  const import::Nnapi* nnapi_ = nullptr;
  std::string device_;
  import::NnapiHandle<ANeuralNetworksCompilation> compilation_{nullptr, nullptr};
  std::vector<import::Tensor> inputs_, outputs_;
  double build_ms_ = 0;
};

}  // namespace nnrt::tool
