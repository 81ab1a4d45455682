// The auto device, over a CPU and a GPU with given costs. Both compute on the CPU.
#include "core/placement/auto_device.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/cache/cache_image.h"
#include "core/cache/stored_model.h"
#include "core/runtime/execution.h"
#include "core/runtime/operation_refusals.h"
#include "tests/support/graph_maker.h"
#include "tests/support/partial_device.h"
#include "tests/support/tensor_views.h"

#include <cmath>

namespace nnrt {
namespace {

constexpr DeviceCosts kFast{.partition_us = 50, .node_us = 1, .gflops = {1000, 1000, 0}, .gbytes = 100};
constexpr DeviceCosts kSlow{.partition_us = 0, .node_us = 1, .gflops = {10, 10, 0}, .gbytes = 10};

class FakeDevice final : public test::PartialDevice {
 public:
  FakeDevice(
      size_t id, std::string name, DeviceType type, const DeviceCosts& costs,
      std::function<bool(const Node&)> supports = [](const Node&) { return true; })
      : PartialDevice(cpu::make_device(), std::move(supports)) {
    info_ = {id, std::move(name), "Test"};
    type_ = type;
    costs_of_test = costs;
  }
};

class AutoTest : public testing::Test {
 protected:
  static bool no_exp(const Node& node) { return node.op != Op::exp; }

  // relu(x) . w, and exp of it. The GEMM takes the CPU 800 us.
  GraphPtr graph() const {
    test::GraphMaker make;
    const TensorId x = make.input({100, 200});
    const TensorId w = make.floats({200, 200}, std::vector<float>(40000, 0.01f));
    const TensorId y = make.op(Op::matmul, {make.op(Op::relu, {x}, {100, 200}), w}, {100, 200});
    return make.finish({make.op(Op::exp, {y}, {100, 200})});
  }
  GraphPtr small_graph() const {
    test::GraphMaker make;
    return make.finish({make.op(Op::relu, {make.input({3})}, {3})});
  }

  std::shared_ptr<FakeDevice> gpu_ = std::make_shared<FakeDevice>(1, "Gpu", DeviceType::gpu, kFast, no_exp);
  std::shared_ptr<FakeDevice> cpu_ = std::make_shared<FakeDevice>(2, "Cpu", DeviceType::cpu, kSlow);
  std::shared_ptr<Device> auto_ = make_auto_device({gpu_, cpu_});
};

std::vector<std::string> devices_of(const CompiledModel& model) {
  std::vector<std::string> names;
  for (const PlacedNode& node : model.placement) names.push_back(node.device);
  return names;
}

TEST_F(AutoTest, IsADeviceOfItsOwnType) {
  EXPECT_EQ(auto_->info().name, "NNRt auto");
  EXPECT_EQ(auto_->type().value(), DeviceType::others);
  EXPECT_EQ(cpu_of(auto_->members()), cpu_.get());
}

TEST_F(AutoTest, CutsIfGainExceedsTransfers) {
  const auto model = compile(graph(), *auto_, cpu_.get(), {}).value();
  EXPECT_EQ(devices_of(*model), (std::vector<std::string>{"Gpu", "Gpu", "Cpu"}));
  ASSERT_EQ(model->partitions.size(), 2u);
  EXPECT_EQ(model->partitions[0].device, gpu_.get());
  EXPECT_EQ(model->partitions[1].device, cpu_.get());
  EXPECT_NE(model->placement[1].reason.find("Cpu: 80"), std::string::npos) << model->placement[1].reason;
  EXPECT_NE(model->placement[2].reason.find("Gpu: The test refuses"), std::string::npos);
  EXPECT_NE(model->placement_table().find("all on Cpu"), std::string::npos) << model->placement_table();
}

TEST_F(AutoTest, FoldsConstantsOnTheCpu) {
  test::GraphMaker make;
  const TensorId constant = make.op(Op::relu, {make.floats({3}, {1, 2, 3})}, {3});
  const GraphPtr graph = make.finish({make.op(Op::add, {make.input({3}), constant}, {3})});
  EXPECT_EQ(devices_of(*compile(graph, *auto_, cpu_.get(), {}).value()),
            (std::vector<std::string>(2, "Cpu")));
}

TEST_F(AutoTest, RunsPartitionedGraph) {
  Execution execution(compile(graph(), *auto_, cpu_.get(), {}).value());
  std::vector<OutputSlot> outputs{{test::empty_view(80'000)}};
  const std::vector<TensorView> inputs{test::view_of<float>({100, 200}, std::vector<float>(20'000, 0.5f))};
  ASSERT_TRUE(execution.run(inputs, outputs, {}).ok());
  EXPECT_NEAR(test::values_of<float>(outputs[0].view)[7], std::exp(1.0f), 1e-4f);
}

TEST_F(AutoTest, LeavesSmallModelsOnTheCpu) {
  const auto model = compile(small_graph(), *auto_, cpu_.get(), {}).value();
  EXPECT_EQ(devices_of(*model), std::vector<std::string>{"Cpu"});
  EXPECT_EQ(model->partitions.size(), 1u);
}

TEST_F(AutoTest, StaysOnCpuIfGpuIsSlower) {
  std::swap(gpu_->costs_of_test, cpu_->costs_of_test);
  EXPECT_EQ(compile(graph(), *auto_, cpu_.get(), {}).value()->partitions.size(), 1u);
}

TEST_F(AutoTest, ChoosesTheBestOfSeveralGpus) {
  DeviceCosts faster = kFast;
  faster.gflops = {5000, 5000, 0};
  const auto better = std::make_shared<FakeDevice>(3, "Better", DeviceType::gpu, faster);
  const auto chooser = make_auto_device({gpu_, better, cpu_});
  const auto model = compile(graph(), *chooser, cpu_.get(), {}).value();
  EXPECT_EQ(devices_of(*model), (std::vector<std::string>{"Better", "Better", "Better"}));
}

// Costs of the table are not comparable with a CPU that was measured.
TEST_F(AutoTest, UsesASoftwareGpuOnlyWithoutACpu) {
  gpu_->properties_of_test = {{"kind", std::string("software")}};
  EXPECT_EQ(devices_of(*compile(graph(), *make_auto_device({gpu_, cpu_}), cpu_.get(), {}).value()),
            (std::vector<std::string>(3, "Cpu")));
  EXPECT_EQ(devices_of(*compile(small_graph(), *make_auto_device({gpu_}), nullptr, {}).value()),
            std::vector<std::string>{"Gpu"});
}

TEST_F(AutoTest, WorksWithoutCpu) {
  const auto chooser = make_auto_device({gpu_});
  EXPECT_EQ(devices_of(*compile(small_graph(), *chooser, nullptr, {}).value()),
            std::vector<std::string>{"Gpu"});
  const auto refused = compile(graph(), *chooser, nullptr, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::failed);
}

TEST_F(AutoTest, SupportsUnionOfMembers) {
  const auto supports_exp = [](const Node& node) { return node.op == Op::exp; };
  const auto other = std::make_shared<FakeDevice>(4, "Exp", DeviceType::accelerator, kSlow, supports_exp);
  EXPECT_EQ(supported_operations(graph(), *make_auto_device({gpu_, other})).value(),
            (std::vector<bool>{true, true, true}));
  EXPECT_EQ(supported_operations(graph(), *make_auto_device({gpu_})).value(),
            (std::vector<bool>{true, true, false}));
}

Bytes bytes_of(const CompiledModel& model) {
  Bytes bytes;
  const CacheImage image = make_image(model, 1).value();
  for (const SharedBytes& piece : image.pieces) bytes.insert(bytes.end(), piece->begin(), piece->end());
  return bytes;
}

TEST_F(AutoTest, ACacheKeepsTheCutAndItsReasons) {
  const auto model = compile(graph(), *auto_, cpu_.get(), {}).value();
  const Bytes bytes = bytes_of(*model);
  const auto stored = StoredModel::open(source_of(bytes)).value();
  std::swap(gpu_->costs_of_test, cpu_->costs_of_test);
  const auto restored = stored.restore({*auto_, nullptr, {}, nullptr}).value().model;
  EXPECT_EQ(restored->placement_table(), model->placement_table());
  ASSERT_EQ(restored->partitions.size(), 2u);
  EXPECT_EQ(restored->partitions[0].device, gpu_.get());
}

TEST_F(AutoTest, ACacheOfAMissingMemberIsNone) {
  const auto model = compile(graph(), *auto_, cpu_.get(), {}).value();
  const Bytes bytes = bytes_of(*model);
  const auto stored = StoredModel::open(source_of(bytes)).value();
  const auto without_gpu = make_auto_device({cpu_});
  const auto restored = stored.restore({*without_gpu, nullptr, {}, nullptr});
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, Code::invalid_file);
}

}  // namespace
}  // namespace nnrt
