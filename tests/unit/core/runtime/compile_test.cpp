#include "core/runtime/compile.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/runtime/execution.h"
#include "tests/support/graph_maker.h"
#include "tests/support/partial_device.h"
#include "tests/support/tensor_views.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

GraphPtr add_then_relu() {
  test::GraphMaker make;
  const TensorId x = make.input({2, 3}), y = make.input({3});
  return make.finish({make.op(Op::relu, {make.op(Op::add, {x, y}, {2, 3})}, {2, 3})});
}

class CompileTest : public testing::Test {
 protected:
  std::shared_ptr<Device> cpu_ = cpu::make_device();
  test::PartialDevice adds_{cpu_, [](const Node& node) { return node.op == Op::add; }};
};

TEST_F(CompileTest, ExplainsPlacement) {
  const auto model = compile(add_then_relu(), adds_, cpu_.get(), {}).value();
  ASSERT_EQ(model->placement.size(), 2u);
  EXPECT_EQ(model->placement[0].device, "Partial");
  EXPECT_EQ(model->placement[1].device, cpu_->info().name);
  EXPECT_EQ(model->placement[1].reason, "The test refuses this operation.");
  EXPECT_NE(model->placement_table().find("OH_NN_OPS_RELU"), std::string::npos);
}

TEST_F(CompileTest, WithoutFallbackFailsAndNamesTheOperations) {
  const auto model = compile(add_then_relu(), adds_, nullptr, {});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, Code::failed);
  EXPECT_NE(model.error().message.find("OH_NN_OPS_RELU (operation 1): The test refuses"), std::string::npos);
}

TEST_F(CompileTest, RejectsInvalidNode) {
  test::GraphMaker make;
  const TensorId x = make.input({2, 3}), y = make.input({5});
  const auto model = compile(make.finish({make.op(Op::add, {x, y}, {2, 3})}), *cpu_, nullptr, {});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, Code::invalid_parameter);
}

class ExecutionTest : public CompileTest {
 protected:
  Execution execution_{compile(add_then_relu(), adds_, cpu_.get(), {}).value()};
  TensorView x_ = test::view_of<float>({2, 3}, {1, -2, 3, -4, 5, -6});
  TensorView y_ = test::view_of<float>({3}, {1, 1, 1});
};

TEST_F(ExecutionTest, RejectsMismatchedDescriptions) {
  const auto error_of = [&](TensorView x, DType output, const Shape& shape) {
    std::vector<OutputSlot> outputs{{test::empty_view(24, shape)}};
    outputs[0].view.dtype = output;
    const Status status = execution_.run(std::vector{std::move(x), y_}, outputs, {});
    EXPECT_TRUE(status.ok() || status.error().code == Code::invalid_parameter);
    return status.ok() ? "" : status.error().message;
  };
  TensorView described = x_;
  described.dtype = DType::f32;
  EXPECT_EQ(error_of(described, DType::f32, {2, 3}), "");
  EXPECT_EQ(error_of(described, DType::f32, {3, 2}),
            "Shape [3, 2] of output 0 does not match the model's [2, 3].");
  EXPECT_EQ(error_of(described, DType::i32, {2, 3}),
            "Data type of output 0 (INT32) is not the model's (FLOAT32).");
  described.dtype = DType::i32;
  EXPECT_EQ(error_of(described, DType::f32, {2, 3}),
            "Data type of input 0 (INT32) is not the model's (FLOAT32).");
}

// a is read by the ADD of one device and the RELU of another, b only by the ADD.
TEST_F(ExecutionTest, IntersectsRangesOfReaders) {
  test::GraphMaker make;
  const TensorId a = make.input({-1, 5}), b = make.input({-1, 5});
  const TensorId sum = make.op(Op::add, {a, b}, {-1, 5}), positive = make.op(Op::relu, {a}, {-1, 5});
  const GraphPtr graph = make.finish({sum, positive});
  adds_.max_bytes = 4000;
  test::PartialDevice others(cpu_, [](const Node&) { return true; });
  others.max_bytes = 2013;
  Execution execution(compile(graph, adds_, &others, {}).value());
  EXPECT_EQ(execution.input_range(0).value().largest, (std::vector<size_t>{100, 5}));
  EXPECT_EQ(execution.input_range(1).value().largest, (std::vector<size_t>{200, 5}));

  const auto run = [&](int64_t rows) {
    const TensorView x = test::empty_view(size_t(rows) * 20, {rows, 5});
    std::vector<OutputSlot> outputs{{test::empty_view(x.bytes)}, {test::empty_view(x.bytes)}};
    return execution.run(std::vector{x, x}, outputs, {});
  };
  EXPECT_TRUE(run(100).ok());
  ASSERT_FALSE(run(101).ok());
  EXPECT_EQ(run(101).error().code, Code::invalid_parameter);
}

TEST_F(ExecutionTest, ShapesMayChangeFromRunToRun) {
  test::GraphMaker make;
  const TensorId a = make.input({-1, 3}), b = make.input({-1, 3});
  Execution execution(compile(make.finish({make.op(Op::add, {a, b}, {-1, 3})}), adds_, nullptr, {}).value());
  const auto output_of = [&](int64_t rows, int64_t other_rows) -> std::optional<Shape> {
    std::vector<OutputSlot> outputs{{test::empty_view(60)}};
    const std::vector inputs{test::empty_view(60, {rows, 3}), test::empty_view(60, {other_rows, 3})};
    if (!execution.run(inputs, outputs, {}).ok()) return {};
    return outputs[0].view.shape;
  };
  for (const int64_t rows : {2, 2, 5, 2}) EXPECT_EQ(output_of(rows, rows), (Shape{rows, 3}));
  EXPECT_EQ(output_of(2, 3), std::nullopt);
  EXPECT_EQ(output_of(1, 4), (Shape{4, 3}));
  EXPECT_EQ(output_of(2, 2), (Shape{2, 3}));
}

TEST_F(CompileTest, ComputesConstantsOnTheCpu) {
  test::GraphMaker make;
  const TensorId c = make.op(Op::neg, {make.floats({3}, {1, 2, 3})}, {3});
  const GraphPtr graph = make.finish({make.op(Op::add, {make.input({2, 3}), c}, {2, 3})});
  const auto model = compile(graph, adds_, cpu_.get(), {}).value();
  ASSERT_EQ(model->partitions.size(), 1u);
  EXPECT_EQ(model->partitions[0].device, &adds_);
  EXPECT_EQ(model->placement[0].reason, "");
  std::vector<OutputSlot> outputs{{test::empty_view(24)}};
  const std::vector<TensorView> inputs{test::view_of<float>({2, 3}, {1, 2, 3, 4, 5, 6})};
  ASSERT_TRUE(Execution(model).run(inputs, outputs, {}).ok());
  EXPECT_EQ(test::values_of<float>(outputs[0].view), (std::vector<float>{0, 0, 0, 3, 3, 3}));
}

}  // namespace
}  // namespace nnrt
