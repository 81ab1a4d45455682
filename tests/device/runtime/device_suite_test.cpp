// Runs that must work on every device.
#include "tests/device/device_suite.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

namespace nnrt::test {
namespace {

using std::chrono::milliseconds;

TEST(Run, IntermediatesShareMemoryInTime) {
  GraphMaker maker;
  TensorId x = maker.input({1009});
  const TensorId first = x;
  for (int i = 0; i < 40; ++i) x = maker.op(Op::add, {maker.op(Op::neg, {x}, {1009}), first}, {1009});
  const auto model = prepare(*suite_device(), maker.finish({x}));
  EXPECT_EQ(floats_of(*model, {view_of<float>({1009}, std::vector<float>(1009, 3))}),
            std::vector<float>(1009, 3));
}

TEST(Run, SoftmaxOfANanIsNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t inner : {1, 4}) {  // scalar and vec4 variants
    GraphMaker maker;
    const TensorId x = maker.input({3, inner});
    const TensorId axis = maker.parameter<int64_t>(46, DType::i64, {0});  // OH_NN_SOFTMAX_AXIS
    const auto model =
        prepare(*suite_device(), maker.finish({maker.op(Op::softmax, {x}, {3, inner}, {axis})}));
    std::vector<float> values(static_cast<size_t>(3 * inner), 1.0f);
    values[static_cast<size_t>(inner)] = nan;
    const std::vector<float> result = floats_of(*model, {view_of<float>({3, inner}, values)});
    for (size_t row = 0; row < 3; ++row) EXPECT_TRUE(std::isnan(result[row * static_cast<size_t>(inner)]));
  }
}

TEST(Run, AnOutputMayAlsoBeReadByNodes) {
  GraphMaker maker;
  const TensorId x = maker.input({3});
  const TensorId y = maker.op(Op::neg, {x}, {3});
  const TensorId z = maker.op(Op::abs, {y}, {3});
  const auto model = prepare(*suite_device(), maker.finish({y, z}));
  std::vector<OutputSlot> outputs{{{}, true}, {{}, true}};
  ASSERT_TRUE(model->run(std::vector{view_of<float>({3}, {1, -2, 3})}, outputs, {}).ok());
  EXPECT_EQ(values_of<float>(outputs[0].view), (std::vector<float>{-1, 2, -3}));
  EXPECT_EQ(values_of<float>(outputs[1].view), (std::vector<float>{1, 2, 3}));
}

TEST(Run, AnOutputListedTwiceIsWrittenTwice) {
  GraphMaker maker;
  const TensorId y = maker.op(Op::neg, {maker.input({3})}, {3});
  const auto model = prepare(*suite_device(), maker.finish({y, y}));
  std::vector<OutputSlot> outputs{{{}, true}, {{}, true}};
  ASSERT_TRUE(model->run(std::vector{view_of<float>({3}, {1, -2, 3})}, outputs, {}).ok());
  EXPECT_EQ(values_of<float>(outputs[1].view), (std::vector<float>{-1, 2, -3}));
}

TEST(Run, PreservesAliasedTensors) {
  GraphMaker maker;
  const TensorId x = maker.input({2, 3});
  const TensorId shape = maker.ints({6});
  const TensorId flat = maker.op(Op::reshape, {x, shape}, {6});
  const TensorId bias = maker.op(Op::reshape, {maker.floats({3, 2}, {1, 2, 3, 4, 5, 6}), shape}, {6});
  const TensorId sum = maker.op(Op::add, {flat, bias}, {6});
  const TensorId twice = maker.op(Op::reshape, {sum, maker.ints({3, 2})}, {3, 2});
  const TensorId thrice = maker.op(Op::reshape, {twice, maker.ints({1, 6})}, {1, 6});
  const auto model = prepare(*suite_device(), maker.finish({flat, bias, thrice, twice}));
  std::vector<OutputSlot> outputs(4, {{}, true});
  ASSERT_TRUE(model->run(std::vector{view_of<float>({2, 3}, {1, 1, 1, 1, 1, 1})}, outputs, {}).ok());
  EXPECT_EQ(values_of<float>(outputs[0].view), (std::vector<float>{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(values_of<float>(outputs[1].view), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of<float>(outputs[2].view), (std::vector<float>{2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(values_of<float>(outputs[3].view), (std::vector<float>{2, 3, 4, 5, 6, 7}));
}

TEST(Run, ReportsShapeOfTooSmallOutput) {
  const auto model = prepare(*suite_device(), elementwise(Op::relu, {5}));
  TensorView y = empty_view(16);
  const Status status = run(*model, {view_of<float>({5}, {1, 2, 3, 4, 5})}, y);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::invalid_parameter);
  EXPECT_EQ(y.shape, (Shape{5}));
}

TEST(Run, ManyTensorsInTurnGiveTheirOwnResults) {
  const auto model = prepare(*suite_device(), elementwise(Op::neg, {3}));
  std::vector<TensorView> inputs, outputs;
  for (int i = 0; i < 11; ++i) {
    inputs.push_back(view_of<float>({3}, {float(i), float(i) + 1, float(i) + 2}));
    outputs.push_back(empty_view(12));
  }
  for (int turn = 0; turn < 3; ++turn) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      ASSERT_TRUE(run(*model, {inputs[i]}, outputs[i]).ok());
      EXPECT_EQ(values_of<float>(outputs[i])[0], -float(i));
    }
  }
}

TEST(Run, MoreShapesThanAreKeptAllWork) {
  const auto model = prepare(*suite_device(), elementwise(Op::neg, {-1, 2}));
  for (int turn = 0; turn < 2; ++turn) {
    for (int64_t n = 19; n > 0; --n) {
      const std::vector<float> y =
          floats_of(*model, {view_of<float>({n, 2}, std::vector<float>(size_t(n * 2), float(n)))});
      EXPECT_EQ(y, std::vector<float>(size_t(n * 2), -float(n)));
    }
  }
}

TEST(Run, ThreadsDoNotDisturbEachOther) {
  const auto model = prepare(*suite_device(), elementwise(Op::neg, {-1}));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int64_t n = 1; n <= 6; ++n) {
    threads.emplace_back([&, n] {
      for (int i = 0; i < 20; ++i) {
        const TensorView x = view_of<float>({n * 101}, std::vector<float>(size_t(n * 101), float(i)));
        if (floats_of(*model, {x}) != std::vector<float>(size_t(n * 101), -float(i))) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Timeout, SkipsRunsPastDeadline) {
  const auto model = prepare(*suite_device(), elementwise(Op::neg, {1}));
  TensorView y = view_of<float>({1}, {7});
  const Status late = run(*model, {view_of<float>({1}, {1})}, y, Clock::now() - milliseconds(1));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, Code::timeout);
  EXPECT_EQ(values_of<float>(y), (std::vector<float>{7}));
}

}  // namespace
}  // namespace nnrt::test
