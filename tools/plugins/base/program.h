// A network compiled for a device, with an executor and its tensors.
#pragma once

#include "tools/import/network/network.h"
#include "tools/import/nn_handles.h"
#include "tools/plugins/base/chosen_device.h"
#include "tools/plugins/base/plugin_options.h"

#include <memory>
#include <string>
#include <vector>

namespace nnrt::plugins {

// Memory that the runtime's devices and the framework map; several programs may use it.
using SharedTensor = std::shared_ptr<NN_Tensor>;

class Program {
 public:
  // `cache_name`: identifies the network in options.cache_dir.
  static Result<Program> build(const import::Network& network, const PluginDevice& device,
                               const PluginOptions& options, const std::string& cache_name);

  // As the network declares them, without data; -1 is dynamic.
  const std::vector<import::Tensor>& inputs() const { return inputs_; }
  const std::vector<import::Tensor>& outputs() const { return outputs_; }

  // A tensor that is bound to the next runs. Its memory is new unless the last one fits.
  Result<NN_Tensor*> input(size_t i, const import::Shape& shape);
  Result<NN_Tensor*> output(size_t i);
  // Binds memory of the framework's choice: a tensor of the same dtype and shape.
  void bind_input(size_t i, SharedTensor tensor, import::Shape shape);
  void bind_output(size_t i, SharedTensor tensor) { output_tensors_[i] = std::move(tensor); }

  // Every input must have been set.
  Status run();
  // In the last run.
  Result<import::Shape> output_shape(size_t i) const;

 private:
  import::CompilationHandle compilation_;
  import::ExecutorHandle executor_;
  size_t device_ = 0;
  std::vector<import::Tensor> inputs_, outputs_;
  std::vector<import::Shape> input_shapes_;
  std::vector<SharedTensor> input_tensors_, output_tensors_;
};

Result<SharedTensor> make_tensor(size_t device, const import::Tensor& declared, const import::Shape& shape);

}  // namespace nnrt::plugins
