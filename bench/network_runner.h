// A network built for a device, with tensors reused by all runs.
#pragma once

#include "compose_network.h"

#include <functional>
#include <span>

namespace bench {

class NetworkRunner {
 public:
  struct Options {
    std::string cache;                  // a directory; empty: none
    std::span<const std::byte> note{};  // stored in the cache
    bool float16 = false;
    bool steady = true;                // full speed from the first run, however long Build takes
    std::function<void()> on_taken{};  // called before Build, which does not need the model object any more
  };

  // From an empty model to an executor with tensors.
  NetworkRunner(const conformance::Case& network, size_t device)
      : NetworkRunner(network, device, Options{}) {}
  NetworkRunner(const conformance::Case& network, size_t device, const Options& options)
      : NetworkRunner(compose(network).get(), device, options) {}
  // `model` must be finished; null: the cache has it.
  NetworkRunner(const OH_NNModel* model, size_t device, const Options& options);

  // Floats in [-1, 1), INT8 over its full range; deterministic for a seed.
  void fill_inputs(uint64_t seed);
  void run();
  // From now on, tensor contents stay in the memory of a discrete GPU.
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
