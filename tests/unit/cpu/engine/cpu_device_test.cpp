#include "backends/cpu/engine/cpu_device.h"

#include "core/platform/counters.h"
#include "tests/support/graph_maker.h"
#include "tests/support/tensor_views.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;

std::unique_ptr<PreparedModel> prepared(const GraphPtr& graph, const CompileOptions& options = {}) {
  return make_device()->prepare(graph, options).value();
}

Status run(PreparedModel& model, const std::vector<TensorView>& inputs, std::vector<OutputSlot>& outputs) {
  return model.run(inputs, outputs, {});
}

// y = relu(x + 1) * x, of any length.
GraphPtr chain(int64_t length) {
  GraphMaker maker;
  const TensorId x = maker.input({length});
  const TensorId sum = maker.op(Op::add, {x, maker.floats({1}, {1.0f})}, {length});
  const TensorId positive = maker.op(Op::relu, {sum}, {length});
  return maker.finish({maker.op(Op::mul, {positive, x}, {length})});
}

TEST(CpuDevice, IntroducesItself) {
  const auto device = make_device();
  EXPECT_EQ(device->info().name, "CPU_NNRt");
  EXPECT_EQ(device->info().vendor, "NNRt");
  EXPECT_EQ(device->type().value(), DeviceType::cpu);
  EXPECT_NE(device->info().id, 0u);
}

TEST(CpuDevice, RefusesInvalidNodesWithDiagnosis) {
  Graph graph = *chain(5);
  graph.nodes[1].diagnosis = Error{Code::invalid_parameter, "Shapes differ."};
  const auto device = make_device();
  EXPECT_EQ(device->supports(graph, {}).value(), (std::vector<Refusal>{{}, "Shapes differ.", {}}));
  const auto model = device->prepare(std::make_shared<Graph>(graph), {});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, Code::invalid_parameter);
}

TEST(CpuDevice, PerformanceDecidesTheThreadsOfARun) {
  struct Row {
    PerformanceMode mode;
    unsigned of_one, of_seven;
  };
  using enum PerformanceMode;
  for (const Row& row : {Row{none, 1, 7}, {low, 1, 1}, {medium, 1, 4}, {high, 1, 7}, {extreme, 1, 7}}) {
    EXPECT_EQ(threads_for(row.mode, 1), row.of_one);
    EXPECT_EQ(threads_for(row.mode, 7), row.of_seven);
  }
}

TEST(CpuDevice, ACompilationMayUseFewerThreads) {
  const auto threads = [](std::string text, PerformanceMode mode = PerformanceMode::none) {
    return threads_for({.performance = mode, .extensions = {{"nnrt.threads", std::move(text)}}}, 7);
  };
  EXPECT_EQ(threads("1"), 1u);
  EXPECT_EQ(threads("3"), 3u);
  EXPECT_EQ(threads(std::string("3\0", 2)), 3u);
  EXPECT_EQ(threads("99"), 7u);
  EXPECT_EQ(threads("3", PerformanceMode::low), 1u);
  for (const char* const wrong : {"", "0", "-1", "3x"}) EXPECT_EQ(threads(wrong), 7u) << wrong;
}

TEST(CpuDevice, PerformanceNeverChangesResults) {
  constexpr int64_t kSize = 211;
  std::vector<float> values(kSize * kSize);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i));
  GraphMaker maker;
  const TensorId x = maker.input({kSize, kSize}), w = maker.floats({kSize, kSize}, values);
  const TensorId product = maker.op(Op::matmul, {x, w}, {kSize, kSize});
  const GraphPtr graph = maker.finish({maker.op(Op::reduce_sum, {product, maker.ints({0})}, {kSize})});
  const TensorView input = test::view_of<float>({kSize, kSize}, values);
  const auto result = [&](PerformanceMode mode) {
    std::vector<OutputSlot> outputs{{test::empty_view(kSize * 4)}};
    EXPECT_TRUE(run(*prepared(graph, {.performance = mode}), {input}, outputs).ok());
    return test::values_of<float>(outputs[0].view);
  };
  EXPECT_EQ(result(PerformanceMode::low), result(PerformanceMode::extreme));
  EXPECT_EQ(result(PerformanceMode::low), result(PerformanceMode::medium));
}

TEST(CpuModel, ReportsShapeOfTooSmallOutput) {
  const auto model = prepared(chain(kUnknown));
  std::vector<OutputSlot> outputs{{test::empty_view(8)}};
  const Status status = run(*model, {test::view_of<float>({3}, {1, 2, 3})}, outputs);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::invalid_parameter);
  EXPECT_EQ(
      status.error().message,
      "Output 0 of shape [3] takes 12 bytes; its memory has 8. While running OH_NN_OPS_ADD (operation 0).");
  EXPECT_EQ(outputs[0].view.shape, Shape{3});
}

TEST(CpuModel, CopiesNoTensor) {
  const auto model = prepared(chain(5));
  std::vector<OutputSlot> outputs{{test::empty_view(20)}};
  const uint64_t before = counters().bytes_copied;
  ASSERT_TRUE(run(*model, {test::view_of<float>({5}, {1, 2, 3, 4, 5})}, outputs).ok());
  EXPECT_EQ(counters().bytes_copied, before);
}

TEST(CpuModel, ReshapesToSeveralOutputs) {
  GraphMaker maker;
  const TensorId x = maker.input({6, 1});
  const TensorId negative = maker.op(Op::neg, {x}, {6, 1});
  const TensorId flat = maker.op(Op::reshape, {negative, maker.ints({-1})}, {6});
  const TensorId rows = maker.op(Op::reshape, {negative, maker.ints({2, 3})}, {2, 3});
  const TensorId square = maker.op(Op::square, {negative}, {6, 1});
  const auto model = prepared(maker.finish({flat, rows, square, flat}));
  std::vector<OutputSlot> outputs;
  for (int i = 0; i < 4; ++i) outputs.push_back({test::empty_view(24)});
  ASSERT_TRUE(run(*model, {test::view_of<float>({6, 1}, {1, 2, 3, -4, -5, -6})}, outputs).ok());
  EXPECT_EQ(outputs[0].view.shape, Shape{6});
  EXPECT_EQ(outputs[1].view.shape, (Shape{2, 3}));
  for (const size_t i : {0, 1, 3})
    EXPECT_EQ(test::values_of<float>(outputs[i].view), (std::vector<float>{-1, -2, -3, 4, 5, 6}));
  EXPECT_EQ(test::values_of<float>(outputs[2].view), (std::vector<float>{1, 4, 9, 16, 25, 36}));
}

// The result of a reshape keeps its source's memory alive.
TEST(CpuModel, ReshapesWithoutMoving) {
  for (const int64_t length : {int64_t(6), kUnknown}) {
    GraphMaker maker;
    const TensorId x = maker.input({length, 1});
    const TensorId negative = maker.op(Op::neg, {x}, {length, 1});
    const TensorId flat = maker.op(Op::reshape, {negative, maker.ints({-1})}, {length});
    const TensorId first = maker.op(Op::abs, {x}, {length, 1});
    const TensorId second = maker.op(Op::square, {first}, {length, 1});
    const TensorId again = maker.op(Op::reshape, {second, maker.ints({-1})}, {length});
    const auto model = prepared(maker.finish({maker.op(Op::add, {flat, again}, {length})}));
    std::vector<OutputSlot> outputs{{test::empty_view(24)}};
    ASSERT_TRUE(run(*model, {test::view_of<float>({6, 1}, {1, 2, 3, -4, -5, -6})}, outputs).ok());
    EXPECT_EQ(test::values_of<float>(outputs[0].view), (std::vector<float>{0, 2, 6, 20, 30, 42}));
  }
}

TEST(CpuModel, ReadsAndWritesMisalignedTensors) {
  const auto model = prepared(chain(2));
  TensorView x = test::empty_view(9, {2}), y = test::empty_view(9);
  x.offset = y.offset = 1;
  x.bytes = y.bytes = 8;
  const std::vector<float> values{1, 2};
  std::memcpy(x.data(), values.data(), 8);
  std::vector<OutputSlot> outputs{{y}};
  ASSERT_TRUE(run(*model, {x}, outputs).ok());
  EXPECT_EQ(test::values_of<float>(outputs[0].view), (std::vector<float>{2, 6}));
}

}  // namespace
}  // namespace nnrt::cpu
