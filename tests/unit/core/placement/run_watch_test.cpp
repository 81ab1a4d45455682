// Costs corrected by runs, on devices with prescribed times.
#include "core/placement/run_watch.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/placement/auto_device.h"
#include "core/placement/calibrated_costs.h"
#include "core/placement/cost_file.h"
#include "core/runtime/execution.h"
#include "tests/support/graph_maker.h"
#include "tests/support/partial_device.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tensor_views.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace nnrt {
namespace {

using std::chrono::microseconds;

constexpr DeviceCosts kCosts{
    .partition_us = 100, .node_us = 10, .gflops = {100, 50, 25}, .gbytes = 10, .transfer_gbytes = 5};

TEST(ExpectedTime, IsOfNodesAndWhatCrossesTheBorder) {
  test::GraphMaker make;
  const TensorId x = make.input({1000});
  const TensorId y = make.op(Op::exp, {x}, {1000});
  const GraphPtr graph = make.finish({make.op(Op::sin, {y}, {1000})});
  const std::vector<NodeId> both{0, 1}, first{0};
  const ExpectedTime time = expected_time(kCosts, *graph, both, graph->inputs, graph->outputs);
  EXPECT_DOUBLE_EQ(time.entry, 100);
  EXPECT_DOUBLE_EQ(time.work, 2 * (10 + 0.8) + 2 * 0.8);
  EXPECT_DOUBLE_EQ(expected_time(kCosts, *graph, first, {}, {}).work, 10.8);
}

TEST(ExpectedTime, IsMissedByMoreThanAHalf) {
  const ExpectedTime expected{20, 80};
  for (const double time : {70.0, 100.0, 149.0}) EXPECT_FALSE(is_missed(expected, time));
  for (const double time : {66.0, 151.0, 1000.0}) EXPECT_TRUE(is_missed(expected, time));
}

TEST(CorrectedCosts, ExpectWhatWasObserved) {
  const ExpectedTime expected{100, 50};
  const DeviceCosts slower = corrected(kCosts, expected, 250);
  EXPECT_EQ(slower, (DeviceCosts{.partition_us = 100,
                                 .node_us = 30,
                                 .gflops = {100 / 3.0, 50 / 3.0, 25 / 3.0},
                                 .gbytes = 10 / 3.0,
                                 .transfer_gbytes = 5 / 3.0}));
  EXPECT_DOUBLE_EQ(corrected(kCosts, expected, 125).node_us, 5);
}

TEST(CorrectedCosts, BelieveOneModelNoFurtherThanFourTimes) {
  EXPECT_DOUBLE_EQ(corrected(kCosts, {100, 50}, 1e6).node_us, 40);
  EXPECT_DOUBLE_EQ(corrected(kCosts, {100, 50}, 1).node_us, 2.5);
  EXPECT_EQ(corrected(kCosts, {100, 0}, 1e6), kCosts);
}

// Claims to be a GPU with only rough costs.
class GuessedDevice final : public test::PartialDevice {
 public:
  explicit GuessedDevice(size_t id) : PartialDevice(cpu::make_device(), [](const Node&) { return true; }) {
    info_ = {id, "Guessed", "Test"};
    type_ = DeviceType::gpu;
    costs_of_test = kCosts;
    costs_of_test.rough = true;
  }
};

class Watch : public testing::Test {
 protected:
  Watch() { setenv("NNRT_COSTS", path_.c_str(), 1); }
  ~Watch() override { unsetenv("NNRT_COSTS"); }

  // The file has the device's costs; nothing is measured.
  void know(Device& device, const DeviceCosts& costs) const {
    CostFile(path_).store(key_of(device), costs);
    Device* const members[] = {&device};
    ASSERT_EQ(calibrated_costs(device, members), costs);
  }
  static std::string key_of(const Device& device) { return device.info().name + " " + device.cache_key(); }
  static void run(RunWatch& watch, const std::vector<int>& times) {
    for (const int time : times) watch.add(microseconds(time));
  }

  const test::TemporaryFolder folder_;
  const std::string path_ = folder_.file("costs");
};

TEST_F(Watch, CorrectsCostsByFastestWarmRun) {
  GuessedDevice device(201);
  know(device, kCosts);
  RunWatch watch(device, kCosts, {100, 50}, 3);
  run(watch, {1, 900, 250, 800, 700, 900, 900});
  EXPECT_FALSE(watch.is_over());
  EXPECT_EQ(stored_costs(device), kCosts);
  run(watch, {900, 1});
  EXPECT_TRUE(watch.is_over());
  EXPECT_DOUBLE_EQ(stored_costs(device)->node_us, 30);
  EXPECT_DOUBLE_EQ(CostFile(path_).find(key_of(device))->node_us, 30);
}

TEST_F(Watch, LeavesCostsThatWereRight) {
  GuessedDevice device(202);
  know(device, kCosts);
  RunWatch watch(device, kCosts, {100, 50}, 3);
  run(watch, std::vector<int>(RunWatch::kRuns, 160));
  EXPECT_TRUE(watch.is_over());
  EXPECT_EQ(stored_costs(device), kCosts);
}

TEST_F(Watch, CorrectsCostsOnceForManyModels) {
  GuessedDevice device(203);
  know(device, kCosts);
  for (int i = 0; i < 3; ++i) {
    RunWatch watch(device, kCosts, {100, 50}, 3);
    run(watch, std::vector<int>(RunWatch::kRuns, 250));
  }
  EXPECT_DOUBLE_EQ(stored_costs(device)->node_us, 30);
}

TEST_F(Watch, KeepsTrustedCosts) {
  GuessedDevice device(204);
  device.costs_of_test.rough = false;
  EXPECT_FALSE(stored_costs(device));
  RunWatch watch(device, kCosts, {100, 50}, 3);
  run(watch, std::vector<int>(RunWatch::kRuns, 250));
  EXPECT_FALSE(stored_costs(device));
}

// A model on a device with an estimate of one hour; its runs disprove it.
TEST_F(Watch, ObservesCostPlacedModels) {
  const auto device = std::make_shared<GuessedDevice>(205);
  DeviceCosts hour = kCosts;
  hour.partition_us = 1;
  hour.node_us = 3.6e9;
  know(*device, hour);
  const auto automatic = make_auto_device({device});
  test::GraphMaker make;
  const GraphPtr graph = make.finish({make.op(Op::relu, {make.input({3})}, {3})});
  const auto model = compile(graph, *automatic, nullptr, {}).value();
  ASSERT_EQ(model->partitions.size(), 1u);
  ASSERT_NE(model->partitions[0].watch, nullptr);
  EXPECT_EQ(compile(graph, *automatic, nullptr, {.float16 = true}).value()->partitions[0].watch, nullptr);
  EXPECT_EQ(compile(graph, *device, nullptr, {}).value()->partitions[0].watch, nullptr);
  Execution execution(model);
  const std::vector<TensorView> inputs{test::view_of<float>({3}, {-1, 0, 1})};
  std::vector<OutputSlot> outputs{{test::empty_view(12)}};
  for (int i = 0; i < RunWatch::kRuns; ++i) ASSERT_TRUE(execution.run(inputs, outputs, {}).ok());
  EXPECT_DOUBLE_EQ(stored_costs(*device)->node_us, 0.9e9);
}

}  // namespace
}  // namespace nnrt
