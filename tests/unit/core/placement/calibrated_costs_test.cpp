#include "core/placement/calibrated_costs.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/placement/cost_file.h"
#include "core/placement/measure_costs.h"
#include "tests/support/partial_device.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace nnrt {
namespace {

// Computes like the CPU, claims to be a GPU, and counts prepared models.
class CountingDevice final : public test::PartialDevice {
 public:
  CountingDevice(size_t id, DeviceType type, bool rough)
      : PartialDevice(cpu::make_device(), [](const Node&) { return true; }) {
    info_ = {id, "Counting", "Test"};
    type_ = type;
    costs_of_test = {
        .partition_us = 7e5, .node_us = 8e5, .gflops = {1, 0.5, 0.25}, .gbytes = 1, .rough = rough};
  }
  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    ++prepared;
    return PartialDevice::prepare(std::move(graph), options);
  }
  int prepared = 0;
};

class MeasuredCosts : public testing::Test {
 protected:
  MeasuredCosts() { setenv("NNRT_COSTS", path_.c_str(), 1); }
  ~MeasuredCosts() override { unsetenv("NNRT_COSTS"); }

  const test::TemporaryFolder folder_;
  const std::string path_ = folder_.file("kept/costs");
  CountingDevice cpu_{101, DeviceType::cpu, true};
};

TEST_F(MeasuredCosts, AreTakenOnceAndKept) {
  CountingDevice gpu(102, DeviceType::gpu, true);
  Device* const members[] = {&gpu, &cpu_};
  const DeviceCosts costs = calibrated_costs(gpu, members);
  EXPECT_LT(costs.partition_us, 7e5);
  EXPECT_LT(costs.node_us, 8e5);
  EXPECT_GT(costs.gflops[0], 0);
  EXPECT_NEAR(costs.gflops[1] / costs.gflops[0], 0.5, 1e-6);  // as in the table
  EXPECT_FALSE(costs.rough);
  const int prepared = gpu.prepared;
  EXPECT_GT(prepared, 0);
  EXPECT_EQ(calibrated_costs(gpu, members), costs);
  EXPECT_EQ(gpu.prepared, prepared);
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(MeasuredCosts, OfAFileSpareTheMeasuring) {
  CountingDevice gpu(103, DeviceType::gpu, true);
  Device* const members[] = {&gpu, &cpu_};
  const DeviceCosts retained{
      .partition_us = 1.5, .node_us = 2, .gflops = {3, 4, 5}, .gbytes = 6, .transfer_gbytes = 7};
  CostFile(path_).store(gpu.info().name + " " + gpu.cache_key(), retained);
  EXPECT_EQ(calibrated_costs(gpu, members), retained);
  EXPECT_EQ(gpu.prepared, 0);
}

TEST_F(MeasuredCosts, UseTrustedTable) {
  CountingDevice known(104, DeviceType::gpu, false), rough(105, DeviceType::gpu, true);
  Device* const software[] = {&known, &cpu_};
  EXPECT_EQ(calibrated_costs(cpu_, software), cpu_.costs());
  setenv("NNRT_COSTS", "off", 1);
  Device* const gpu_and_cpu[] = {&rough, &cpu_};
  EXPECT_EQ(calibrated_costs(rough, gpu_and_cpu), rough.costs());
  EXPECT_EQ(cpu_.prepared + known.prepared + rough.prepared, 0);
}

TEST_F(MeasuredCosts, UseTableForIdleDevice) {
  test::PartialDevice nothing(cpu::make_device(), [](const Node&) { return false; });
  const DeviceCosts table{.partition_us = 1, .node_us = 2, .gflops = {3, 4, 5}, .gbytes = 6};
  EXPECT_EQ(measure_costs(nothing, table), table);
}

TEST_F(MeasuredCosts, AFileKeepsManyDevices) {
  const CostFile file(path_);
  DeviceCosts costs{.partition_us = 0.125, .node_us = 1, .gflops = {1, 1, 1}, .gbytes = 1};
  file.store("a", costs);
  costs.partition_us = 1234.5;
  file.store("b", costs);
  file.store("a", costs);
  EXPECT_EQ(file.find("a"), costs);
  EXPECT_EQ(file.find("b"), costs);
  EXPECT_FALSE(file.find("c"));
}

TEST_F(MeasuredCosts, ADamagedFileHasNone) {
  const CostFile file(path_);
  file.store("a", {.partition_us = 1, .node_us = 1, .gflops = {1, 1, 1}, .gbytes = 1});
  std::string line;
  std::getline(std::ifstream(path_) >> std::ws, line);
  const std::string word = line.substr(0, line.find(' '));
  for (const char* rest : {"", " 1 2 3", " 1 nan 3 4 5 6 7", " 1 -2 3 4 5 6 7", " 1 2 3 4 5 6 inf"}) {
    std::ofstream(path_, std::ios::trunc) << word << rest << '\n';
    EXPECT_FALSE(file.find("a")) << rest;
  }
}

TEST_F(MeasuredCosts, IgnoreUnwritableFile) {
  std::ofstream(folder_.file("kept")) << "a file where the folder should be";
  CostFile(path_).store("a", {});
  EXPECT_FALSE(CostFile(path_).find("a"));
}

}  // namespace
}  // namespace nnrt
