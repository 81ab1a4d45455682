#include "core/runtime/operation_refusals.h"

#include "backends/cpu/engine/cpu_device.h"
#include "tests/support/graph_maker.h"
#include "tests/support/partial_device.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

// A model with an unused operation.
GraphPtr local_norm() {
  test::GraphMaker make;
  const TensorId x = make.input({1, 2, 3, 5}, DType::f32, Format::nchw);
  const TensorId y = make.op(Op::lrn, {x}, {1, 2, 3, 5}, {}, DType::f32, Format::nchw);
  const TensorId z = make.op(Op::relu, {y}, {1, 2, 3, 5}, {}, DType::f32, Format::nchw);
  make.op(Op::transpose, {x, make.ints({0, 1, 2, 3})}, {1, 2, 3, 5});
  return make.finish({z});
}

class OperationRefusalsTest : public testing::Test {
 protected:
  std::shared_ptr<Device> cpu_ = cpu::make_device();
  test::PartialDevice without_transpose_{cpu_, [](const Node& node) { return node.op != Op::transpose; }};
  test::PartialDevice without_relu_{cpu_, [](const Node& node) { return node.op != Op::relu; }};
};

TEST_F(OperationRefusalsTest, MatchCompilation) {
  EXPECT_EQ(supported_operations(local_norm(), *cpu_).value(), (std::vector<bool>{true, true, true}));
  // LRN computes in NHWC, which takes a transpose before it and one after the RELU.
  EXPECT_EQ(supported_operations(local_norm(), without_transpose_).value(),
            (std::vector<bool>{false, false, false}));
}

TEST_F(OperationRefusalsTest, ArePerDevice) {
  const auto judgement = OperationRefusals::of(local_norm()).value();
  const std::string why = "The test refuses this operation.";
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(judgement.by(*cpu_).value(), std::vector<Refusal>(3));
    EXPECT_EQ(judgement.by(without_relu_).value(), (std::vector<Refusal>{{}, why, {}}));
    EXPECT_EQ(judgement.by(without_transpose_).value(), std::vector<Refusal>(3, why));
  }
}

}  // namespace
}  // namespace nnrt
