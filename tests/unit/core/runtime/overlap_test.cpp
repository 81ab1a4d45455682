// One run over two devices with independent partitions.
#include "core/runtime/execution.h"
#include "tests/support/graph_maker.h"
#include "tests/support/observed_device.h"
#include "tests/support/tensor_views.h"

#include <atomic>
#include <cmath>
#include <thread>

namespace nnrt::test {
namespace {

constexpr DeviceCosts kHeavy{.partition_us = 1, .node_us = 1000, .gflops = {1, 1, 1}, .gbytes = 1};

// neg(relu(x)) on the CPU and exp(x) on the GPU, and exp(exp(x) + neg(relu(x))): ADD is the GPU's.
class OverlapTest : public testing::Test {
 protected:
  OverlapTest() { cpu_.costs_of_test = gpu_.costs_of_test = kHeavy; }

  static bool of_cpu(const Node& node) { return node.op == Op::relu || node.op == Op::neg; }
  static GraphPtr graph() {
    GraphMaker make;
    const TensorId x = make.input({2});
    const TensorId left = make.op(Op::neg, {make.op(Op::relu, {x}, {2})}, {2});
    const TensorId right = make.op(Op::exp, {x}, {2});
    return make.finish({make.op(Op::exp, {make.op(Op::add, {right, left}, {2})}, {2})});
  }
  std::shared_ptr<const CompiledModel> compiled() { return compile(graph(), gpu_, &cpu_, {}).value(); }

  // The result of x = [0, 1].
  Status run(Execution& execution, Deadline deadline = {}) {
    std::vector<OutputSlot> outputs{{empty_view(8)}};
    const Status status = execution.run(std::vector{view_of<float>({2}, {0, 1})}, outputs, deadline);
    result_ = values_of<float>(outputs[0].view);
    return status;
  }
  void expect_right_result() {
    EXPECT_NEAR(result_[0], std::exp(1.0f), 1e-5f);
    EXPECT_NEAR(result_[1], std::exp(std::exp(1.0f) - 1), 1e-4f);
  }

  WatchedDevice::Watch on_cpu_ = [] { return Status(); }, on_gpu_ = on_cpu_;
  WatchedDevice cpu_{1, of_cpu, [this] { return on_cpu_(); }};
  WatchedDevice gpu_{2, [](const Node& node) { return !of_cpu(node); }, [this] { return on_gpu_(); }};
  std::vector<float> result_;
};

TEST_F(OverlapTest, IndependentPartitionsOverlap) {
  Meeting meeting;
  std::atomic<int> missed = 0, on_gpu = 0;
  on_cpu_ = [&] {
    if (!meeting.attend()) ++missed;
    return Status();
  };
  on_gpu_ = [&] {
    if (++on_gpu == 1 && !meeting.attend()) ++missed;
    return Status();
  };
  const auto model = compiled();
  EXPECT_TRUE(model->overlaps);
  ASSERT_EQ(model->partitions.size(), 3u);
  Execution execution(model);
  ASSERT_TRUE(run(execution).ok());
  EXPECT_EQ(missed, 0);
  expect_right_result();
}

TEST_F(OverlapTest, RunsFollowEachOther) {
  Execution execution(compiled());
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(run(execution).ok());
    expect_right_result();
  }
}

TEST_F(OverlapTest, ErrorStopsTheRun) {
  int on_gpu = 0;
  on_cpu_ = [] { return Status(Error{Code::failed, "The test says so."}); };
  on_gpu_ = [&] {
    ++on_gpu;
    return Status();
  };
  Execution execution(compiled());
  const Status status = run(execution);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "The test says so.");
  EXPECT_LE(on_gpu, 1);  // not the partition that reads the missing result
  on_cpu_ = [] { return Status(); };
  EXPECT_TRUE(run(execution).ok());
}

TEST_F(OverlapTest, ExceptionsBecomeErrors) {
  on_gpu_ = []() -> Status { throw std::bad_alloc(); };
  Execution execution(compiled());
  EXPECT_EQ(run(execution).error().code, Code::memory);
}

TEST_F(OverlapTest, TheDeadlineHoldsOnEachDevice) {
  on_gpu_ = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return Status();
  };
  Execution execution(compiled());
  EXPECT_EQ(run(execution, Clock::now() + std::chrono::milliseconds(5)).error().code, Code::timeout);
}

TEST_F(OverlapTest, SmallPartitionsRunOneAfterTheOther) {
  gpu_.costs_of_test.node_us = 1;
  const auto model = compiled();
  EXPECT_FALSE(model->overlaps);
  EXPECT_EQ(model->partitions.size(), 2u);
  Execution execution(model);
  ASSERT_TRUE(run(execution).ok());
  expect_right_result();
}

}  // namespace
}  // namespace nnrt::test
