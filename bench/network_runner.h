// A network built for a device, with tensors that stay the same from run to run.
#pragma once

#include "compose_network.h"

#include <span>

namespace bench {

class NetworkRunner {
 public:
  struct Options {
    std::string cache;  // a directory; empty: none
    bool float16 = false;
    bool steady = true;  // as fast as it gets from the first run on, however long the Build takes
  };

  // From an empty model to an executor with its tensors.
  NetworkRunner(const conformance::Case& network, size_t device)
      : NetworkRunner(network, device, Options{}) {}
  NetworkRunner(const conformance::Case& network, size_t device, const Options& options)
      : NetworkRunner(compose(network).get(), device, options) {}
  // `model` is finished.
  NetworkRunner(OH_NNModel* model, size_t device, const Options& options);

  // Floats of both sizes in [-1, 1), INT8 of all values: the same for the same seed.
  void fill_inputs(uint64_t seed);
  void run();
  // From now on the tensors' contents stay in the memory of a GPU that has one of its own.
  void keep_on_device();

  size_t device() const { return device_; }
  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  std::span<std::byte> input(size_t i) { return bytes(inputs_[i]); }
  std::span<std::byte> output(size_t i) { return bytes(outputs_[i]); }
  std::span<const float> floats(size_t output);

 private:
  std::span<std::byte> bytes(NN_Tensor* tensor);
  NN_Tensor* make(NN_TensorDesc* desc);

  size_t device_;
  Executor executor_;
  std::vector<Tensor> tensors_;
  std::vector<NN_Tensor*> inputs_, outputs_;
};

}  // namespace bench
