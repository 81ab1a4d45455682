// A network written to both front ends at once, and its results from each.
#pragma once

#include "tests/unit/api/api_test_handles.h"

#include <android/NeuralNetworks.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace nnrt::front_ends {

using Shape = std::vector<uint32_t>;

// A tensor's numbers in the two models.
struct Paired {
  uint32_t oh = 0, nn = 0;
  Shape shape;

  size_t elements() const;
};

enum class Kind : uint8_t { floats, quantized };  // FLOAT32, or per-tensor INT8

struct ParameterOf {
  OH_NN_TensorType role;
  OH_NN_DataType type;
  std::vector<int64_t> values;
};

class PairedGraph {
 public:
  explicit PairedGraph(Kind kind);

  Kind kind() const { return kind_; }
  size_t element_bytes() const { return kind_ == Kind::floats ? 4 : 1; }

  Paired tensor(const Shape& shape, float scale = 0.05f, int32_t zero_point = 3);
  // INT32 for quantized data, with the product of the operands' scales.
  Paired bias(const std::vector<int32_t>& values, float scale);
  void set_data(const Paired& paired, const std::vector<std::byte>& data);

  // Only in one of the models.
  uint32_t oh_integers(const std::vector<int64_t>& values);
  uint32_t nn_integers(const std::vector<int32_t>& values);
  uint32_t nn_scalar(int32_t value);
  uint32_t nn_scalar(float value);
  uint32_t nn_flag(bool value);

  void add_oh(OH_NN_OperationType type, const std::vector<uint32_t>& inputs,
              const std::vector<ParameterOf>& parameters, const Paired& output);
  void add_nn(int32_t code, const std::vector<uint32_t>& inputs, const Paired& output);

  void finish(const Paired& input, const Paired& output);
  // `on_gpu`: the first device, which is a GPU; otherwise the runtime chooses.
  std::vector<std::byte> run_oh(const std::vector<std::byte>& input, bool on_gpu);
  std::vector<std::byte> run_nn(const std::vector<std::byte>& input, bool on_gpu);

 private:
  struct Freer {
    void operator()(ANeuralNetworksModel* p) const { ANeuralNetworksModel_free(p); }
    void operator()(ANeuralNetworksCompilation* p) const { ANeuralNetworksCompilation_free(p); }
    void operator()(ANeuralNetworksExecution* p) const { ANeuralNetworksExecution_free(p); }
  };
  uint32_t add_operand(int32_t code, const Shape& shape, float scale, int32_t zero_point);
  uint32_t add_oh_tensor(OH_NN_DataType type, const Shape& shape);

  Kind kind_;
  api_tests::Model oh_;
  std::unique_ptr<ANeuralNetworksModel, Freer> nn_;
  uint32_t oh_count_ = 0, nn_count_ = 0;
  std::vector<std::vector<std::byte>> kept_;  // values the NNAPI model refers to
  Paired input_, output_;
};

}  // namespace nnrt::front_ends
