// Concise construction of test graphs.
#pragma once

#include "core/schema/graph_builder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace nnrt::test {

class GraphMaker {
 public:
  TensorId tensor(Shape shape, DType dtype = DType::f32, Format format = Format::none) {
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.format = format;
    tensor.shape = std::move(shape);
    return add(std::move(tensor));
  }

  TensorId input(Shape shape, DType dtype = DType::f32, Format format = Format::none) {
    inputs_.push_back(tensor(std::move(shape), dtype, format));
    return inputs_.back();
  }

  template <typename T>
  TensorId constant(Shape shape, DType dtype, const std::vector<T>& values) {
    const TensorId id = tensor(std::move(shape), dtype);
    EXPECT_TRUE(builder_.set_data(id, std::as_bytes(std::span(values))).ok());
    return id;
  }
  TensorId constant_bytes(Shape shape, DType dtype, const Bytes& bytes) {
    const TensorId id = tensor(std::move(shape), dtype);
    EXPECT_TRUE(builder_.set_data(id, bytes).ok());
    return id;
  }
  TensorId floats(Shape shape, const std::vector<float>& values) {
    return constant(std::move(shape), DType::f32, values);
  }
  TensorId ints(const std::vector<int32_t>& values) {
    return constant({static_cast<int64_t>(values.size())}, DType::i32, values);
  }

  template <typename T>
  TensorId parameter(int tensor_type, DType dtype, const std::vector<T>& values) {
    const TensorId id = constant({static_cast<int64_t>(values.size())}, dtype, values);
    EXPECT_TRUE(builder_.set_role(id, tensor_type).ok());
    return id;
  }

  // Adds an operation with one output and returns the output.
  TensorId op(Op type, const std::vector<TensorId>& inputs, Shape shape,
              const std::vector<TensorId>& parameters = {}, DType dtype = DType::f32,
              Format format = Format::none) {
    const TensorId output = tensor(std::move(shape), dtype, format);
    const Status status =
        builder_.add_operation(static_cast<int>(type), parameters, inputs, std::vector{output});
    EXPECT_TRUE(status.ok()) << status.error().message;
    return output;
  }

  GraphPtr finish(const std::vector<TensorId>& outputs) {
    EXPECT_TRUE(builder_.specify(inputs_, outputs).ok());
    const Status status = builder_.finish();
    EXPECT_TRUE(status.ok()) << status.error().message;
    return builder_.graph();
  }

  GraphBuilder& builder() { return builder_; }

 private:
  TensorId add(Tensor tensor) {
    EXPECT_TRUE(builder_.add_tensor(std::move(tensor)).ok());
    return static_cast<TensorId>(builder_.tensor_count() - 1);
  }

  GraphBuilder builder_;
  std::vector<TensorId> inputs_;
};

}  // namespace nnrt::test
