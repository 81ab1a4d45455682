// A model of one operation, from its operands to a computation on the CPU. Tensors are inputs of the run,
// other operands are constants.
#pragma once

#include "tests/unit/nnapi/nnapi_test_handles.h"

#include <utility>

namespace nnapi_tests {

class OneOperation {
 public:
  explicit OneOperation(int32_t code) : code_(code), model_(new_model()) {}

  // The operand's index.
  int32_t input(Type type) { return keep(inputs_, type); }
  int32_t output(Type type) { return keep(outputs_, type); }
  int32_t omitted(Type type) {
    const int32_t index = input(type);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(get(), index, nullptr, 0), kOk);
    return index;
  }
  template <typename T>
  int32_t constant(Type type, const std::vector<T>& values) {
    const int32_t index = input(type);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(get(), index, values.data(), values.size() * sizeof(T)),
              kOk);
    return index;
  }
  int32_t constant(int32_t value) { return constant<int32_t>(int_scalar(), {value}); }

  int add() const { return add_operation(model_, code_, inputs_, outputs_); }
  // Makes the given operands the model's inputs.
  int end(const std::vector<uint32_t>& inputs) const {
    if (const int code = identify(model_, inputs, outputs_); code != kOk) return code;
    return finish(model_);
  }
  ANeuralNetworksModel* get() const { return model_.get(); }
  const Model& model() const { return model_; }

 private:
  int32_t keep(std::vector<uint32_t>& side, Type& type) {
    EXPECT_EQ(ANeuralNetworksModel_addOperand(get(), type), kOk);
    side.push_back(next_);
    return static_cast<int32_t>(next_++);
  }

  int32_t code_;
  Model model_;
  uint32_t next_ = 0;
  std::vector<uint32_t> inputs_, outputs_;
};

// Computes a float model, and returns the dimensions of its first output.
struct Computed {
  int code = kOk;
  std::vector<uint32_t> dimensions;
  std::vector<float> values;
};

inline Computed compute_floats(const Model& model, const std::vector<std::vector<float>>& inputs,
                               size_t outputs = 1) {
  const Compilation compilation = finished(open_for_device(model));
  const Execution execution = execution_of(compilation);
  Computed computed;
  for (size_t i = 0; i < inputs.size(); ++i)
    EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), static_cast<int32_t>(i), nullptr,
                                                inputs[i].data(), inputs[i].size() * sizeof(float)),
              kOk);
  std::vector<std::vector<float>> room(outputs, std::vector<float>(64));
  for (size_t i = 0; i < outputs; ++i)
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), static_cast<int32_t>(i), nullptr,
                                                 room[i].data(), room[i].size() * sizeof(float)),
              kOk);
  computed.code = ANeuralNetworksExecution_compute(execution.get());
  if (computed.code != kOk) return computed;
  uint32_t rank = 0;
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0, &rank), kOk);
  computed.dimensions.resize(rank);
  EXPECT_EQ(
      ANeuralNetworksExecution_getOutputOperandDimensions(execution.get(), 0, computed.dimensions.data()),
      kOk);
  size_t count = 1;
  for (const uint32_t dimension : computed.dimensions) count *= dimension;
  computed.values.assign(room[0].begin(), room[0].begin() + static_cast<std::ptrdiff_t>(count));
  return computed;
}

}  // namespace nnapi_tests
