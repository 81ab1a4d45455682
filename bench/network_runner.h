// A network of a model file, built for a device, with tensors reused by all runs.
#pragma once

#include "one_operation.h"

#include <neural_network_runtime/nnrt_import.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct Device {
  size_t id = 0;
  std::string name;
  OH_NN_DeviceType type = OH_NN_OTHERS;
};
std::vector<Device> devices();
// The first device of a kind: cpu, gpu. Opens no driver for the CPU.
size_t find_device(std::string_view kind);

// A model read from its file, or only the note of its current cache in the folder `cache`.
class ImportedModel {
 public:
  explicit ImportedModel(const std::string& path, const std::string& cache = "");
  ~ImportedModel() { OH_NNRt_ImportedModel_Destroy(&model_); }
  ImportedModel(const ImportedModel&) = delete;
  ImportedModel& operator=(const ImportedModel&) = delete;

  const OH_NNModel* network() const { return network_; }  // null: in the cache
  std::span<const std::byte> note() const;

 private:
  OH_NNRt_ImportedModel* model_ = nullptr;
  const OH_NNModel* network_ = nullptr;
};

// Runs with 1 for each open dimension.
class NetworkRunner {
 public:
  struct Options {
    std::string cache{};                // a directory; empty: none
    std::span<const std::byte> note{};  // stored in the cache
    bool float16 = false;
    bool steady = true;                // full speed from the first run, however long Build takes
    std::function<void()> on_taken{};  // called before Build, which does not need the model object any more
  };

  // `model` must be finished; null: the cache has it.
  NetworkRunner(const OH_NNModel* model, size_t device, const Options& options);

  // Floats in [-1, 1), INT8 over its full range; deterministic for a seed.
  void fill_inputs(uint64_t seed);
  void run();
  // From now on, tensor contents stay in the memory of a discrete GPU.
  void keep_on_device();

  size_t device() const { return device_; }
  size_t input_count() const { return inputs_.size(); }
  std::span<std::byte> input(size_t i) { return bytes(inputs_[i]); }

 private:
  std::span<std::byte> bytes(NN_Tensor* tensor);
  NN_Tensor* make(NN_TensorDesc* desc);

  size_t device_;
  Executor executor_;
  std::vector<Tensor> tensors_;
  std::vector<NN_Tensor*> inputs_, outputs_;
};

}  // namespace bench
