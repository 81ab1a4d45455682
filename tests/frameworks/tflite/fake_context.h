// A TfLiteContext without an interpreter behind it.
#pragma once

#include <tensorflow/lite/core/c/common.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace nnrt::test {

class FakeContext {
 public:
  FakeContext();

  TfLiteContext* get();
  TfLiteTensor& tensor(int32_t number) { return tensors_[static_cast<size_t>(number)]; }
  // Arrays live as long as this object.
  TfLiteIntArray* ints(const std::vector<int32_t>& values);
  TfLiteFloatArray* floats(const std::vector<float>& values);

  int32_t add_tensor(TfLiteType type, const std::vector<int32_t>& shape);
  int32_t add_constant(TfLiteType type, const std::vector<int32_t>& shape, const std::vector<char>& data);
  void quantize(int32_t tensor, const std::vector<float>& scales, const std::vector<int32_t>& zero_points,
                int32_t dimension);
  // Returns the node's number, which is not its position in the execution plan.
  int32_t add_node(int32_t code, const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs,
                   void* builtin_data = nullptr, int version = 1);
  TfLiteNode& node(int32_t number) { return nodes_[static_cast<size_t>(number)]; }
  TfLiteRegistration& registration(int32_t number) { return registrations_[static_cast<size_t>(number)]; }

 private:
  TfLiteContext context_{};
  std::vector<TfLiteTensor> tensors_;
  std::deque<TfLiteNode> nodes_;
  std::deque<TfLiteRegistration> registrations_;
  std::vector<int32_t> order_;
  std::deque<std::unique_ptr<char[]>> memory_;
  std::deque<std::vector<char>> data_;
  std::deque<TfLiteAffineQuantization> quantizations_;
};

}  // namespace nnrt::test
