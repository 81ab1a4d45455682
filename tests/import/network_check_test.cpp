#include "tools/import/network/network_check.h"

#include <gtest/gtest.h>

namespace nnrt::import {
namespace {

Tensor tensor(OH_NN_DataType type, Shape shape, std::shared_ptr<const Bytes> data = nullptr) {
  Tensor made;
  made.name = "t";
  made.type = type;
  made.shape = std::move(shape);
  made.data = std::move(data);
  return made;
}

TEST(NetworkCheck, EmptyTensorsAreDeclaredOpen) {
  Network network;
  network.tensors = {tensor(OH_NN_FLOAT32, {2, -1}), tensor(OH_NN_FLOAT32, {2, 0}),
                     tensor(OH_NN_FLOAT32, {2})};
  network.operations = {{Op::relu, {0}, {1}, {}, "Relu"}};
  network.inputs = {0};
  network.outputs = {1};
  EXPECT_FALSE(check(network).ok());
  open_empty_dimensions(network);
  EXPECT_EQ(network.tensors[1].shape, (Shape{2, -1}));
  EXPECT_EQ(network.operations.size(), 1u);
  EXPECT_TRUE(check(network).ok());
}

TEST(NetworkCheck, EmptyConstantsBecomeResults) {
  for (const OH_NN_DataType type : {OH_NN_FLOAT32, OH_NN_INT64, OH_NN_FLOAT64, OH_NN_BOOL}) {
    Network network;
    network.tensors = {tensor(type, {0, 3}, std::make_shared<const Bytes>()), tensor(type, {-1, 3})};
    network.operations = {{Op::relu, {0}, {1}, {}, "Relu"}};
    network.outputs = {1};
    open_empty_dimensions(network);
    ASSERT_EQ(network.operations.size(), 2u);
    EXPECT_EQ(network.operations[0].type, Op::broadcast_to);
    EXPECT_EQ(network.operations[0].outputs, std::vector<TensorId>{0});
    EXPECT_EQ(network.tensors[0].data, nullptr);
    EXPECT_EQ(network.tensors[0].shape, (Shape{-1, 3}));
    EXPECT_EQ(network.tensors[network.operations[0].inputs[0]].data->size(), element_size(type));
    EXPECT_TRUE(check(network).ok());
  }
}

}  // namespace
}  // namespace nnrt::import
