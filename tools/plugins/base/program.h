// An executor of a compiled model with its tensors.
#pragma once

#include "tools/plugins/base/compiled_network.h"

#include <memory>
#include <vector>

namespace nnrt::plugins {

// A tensor that several programs may bind, such as one in memory of the framework.
using SharedTensor = std::shared_ptr<NN_Tensor>;

class Program {
 public:
  static Result<Program> create(const CompiledNetwork& model);

  // As the model declares them, without data; -1 is dynamic.
  const std::vector<import::Tensor>& inputs() const { return inputs_; }
  const std::vector<import::Tensor>& outputs() const { return outputs_; }
  size_t device() const { return device_; }

  // The tensor bound to the next runs; allocated again only if its shape changes.
  Result<NN_Tensor*> input(size_t i, const import::Shape& shape);
  Result<NN_Tensor*> output(size_t i);
  // Binds a tensor of the same dtype and shape. Null: the program allocates one.
  void bind_input(size_t i, SharedTensor tensor, import::Shape shape);
  void bind_output(size_t i, SharedTensor tensor) { output_tensors_[i] = std::move(tensor); }

  // The tensor bound to an input; null if none is.
  const SharedTensor& bound_input(size_t i) const { return input_tensors_[i]; }
  // Whether a run may write the output over the input.
  Result<bool> may_share(size_t input, size_t output) const;

  // Every input must have been set.
  Status run();
  // In the last run.
  Result<import::Shape> output_shape(size_t i) const;

 private:
  import::ExecutorHandle executor_;
  size_t device_ = 0;
  std::vector<import::Tensor> inputs_, outputs_;
  std::vector<import::Shape> input_shapes_;
  std::vector<SharedTensor> input_tensors_, output_tensors_;
};

bool is_dynamic(const import::Shape& shape);

Result<SharedTensor> make_tensor(size_t device, const import::Tensor& declared, const import::Shape& shape);

}  // namespace nnrt::plugins
