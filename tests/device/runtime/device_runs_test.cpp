// Programs, deadlines, and lifetimes that a model depends on.
#include "tests/device/device_fixture.h"
#include "tests/support/page_aligned_bytes.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>

namespace nnrt::test {
namespace {

using std::chrono::milliseconds;

// Several milliseconds of work on a software driver: eight sines in a row.
constexpr int64_t kLong = 1 << 21;
GraphPtr long_work() {
  GraphMaker maker;
  TensorId x = maker.input({kLong});
  for (int i = 0; i < 8; ++i) x = maker.op(Op::sin, {x}, {kLong});
  return maker.finish({x});
}

TEST(Run, SplitsLongGridsAcrossY) {
  vulkan::DevicePlan plan = first_plan();
  plan.max_group_count[0] = 7;
  constexpr int64_t kCount = 64 * 7 * 3 + 17;
  std::vector<float> x(kCount), y(kCount);
  std::iota(x.begin(), x.end(), 0.0f);
  std::transform(x.begin(), x.end(), y.begin(), std::negate());
  const auto model = prepare(*make_device(plan), elementwise(Op::neg, {kCount}));
  EXPECT_EQ(floats_of(*model, {view_of<float>({kCount}, x)}), y);
}

// 2049 is not exact in fp16.
TEST(Run, Float16StoresIntermediatesAsFp16) {
  GraphMaker maker;
  const TensorId x = maker.op(Op::neg, {maker.input({3})}, {3});
  const GraphPtr graph = maker.finish({maker.op(Op::abs, {x}, {3})});
  const auto device = make_device();
  const std::vector inputs{view_of<float>({3}, {1, 2049, -3})};
  EXPECT_EQ(floats_of(*prepare(*device, graph), inputs), (std::vector<float>{1, 2049, 3}));
  EXPECT_EQ(floats_of(*prepare(*device, graph, {.float16 = true}), inputs), (std::vector<float>{1, 2048, 3}));
}

TEST(Run, IsTheSameInManySubmissions) {
  for (const bool bind_host_memory : {true, false}) {
    vulkan::DevicePlan plan = first_plan();
    plan.queue.submission_us = 1;
    plan.host.binds = bind_host_memory;
    GraphMaker maker;
    TensorId x = maker.input({1009});
    for (int i = 0; i < 5; ++i) x = maker.op(Op::softmax, {maker.op(Op::neg, {x}, {1009})}, {1009});
    const auto model = prepare(*make_device(plan), maker.finish({x}));
    for (int run = 0; run < 2; ++run) {
      for (const float y : floats_of(*model, {view_of<float>({1009}, std::vector<float>(1009, 3))}))
        ASSERT_NEAR(y, 1.0f / 1009, 1e-8f);
    }
  }
}

TEST(Run, PipelinesAreSharedByModels) {
  const auto device = make_device();
  const auto first = prepare(*device, elementwise(Op::neg, {3}));
  const vulkan::PipelineCache& pipelines = device->context().value()->pipelines();
  const size_t before = pipelines.size();
  const auto second = prepare(*device, elementwise(Op::neg, {101}));
  EXPECT_EQ(pipelines.size(), before);
}

TEST(Restore, RefusesTheModelOfAnotherGraph) {
  const auto gpu = make_device();
  const GraphPtr graph = elementwise(Op::relu, {7, 13});
  const Bytes cached = prepare(*gpu, graph)->export_cache(graph).value();
  EXPECT_FALSE(gpu->restore(elementwise(Op::relu, {7, 3}), {}, in_pages(cached)).ok());
}

TEST(Restore, LeavesRunTimeShapesUnknown) {
  const auto gpu = make_device();
  const GraphPtr graph = elementwise(Op::relu, {-1, 3});
  EXPECT_TRUE(prepare(*gpu, graph)->export_cache(graph).value().empty());
}

// With and without polling before sleeping.
class Timeout : public testing::TestWithParam<double> {
 protected:
  static vulkan::DevicePlan plan() {
    vulkan::DevicePlan plan = first_plan();
    plan.queue.spin_us = GetParam();
    return plan;
  }
};
INSTANTIATE_TEST_SUITE_P(Spinning, Timeout, testing::Values(0.0, 50.0, 1e7));

TEST_P(Timeout, ComesAtTheDeadlineAndLaterRunsWork) {
  const auto model = prepare(*make_device(plan()), long_work());
  const TensorView x = view_of<float>({kLong}, std::vector<float>(kLong, 0));
  TensorView y = view_of<float>({}, std::vector<float>(kLong, 7));
  const Status late = run(*model, {x}, y, Clock::now() + milliseconds(1));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, Code::timeout);
  ASSERT_TRUE(run(*model, {x}, y).ok());
  EXPECT_EQ(values_of<float>(y), std::vector<float>(kLong, 0));
}

TEST_P(Timeout, KeepsMemoryInUseByDevice) {
  const auto device = make_device(plan());
  auto model = prepare(*device, long_work());
  {
    TensorView y = empty_view(kLong * sizeof(float));
    const Status late =
        run(*model, {empty_view(kLong * sizeof(float), {kLong})}, y, Clock::now() + milliseconds(1));
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().code, Code::timeout);
  }
  model.reset();
  EXPECT_FALSE(device->context().value()->lost());
}

}  // namespace
}  // namespace nnrt::test
