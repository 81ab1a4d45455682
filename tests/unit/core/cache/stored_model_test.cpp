// Compiled models as bytes, and what devices are asked during a restore.
#include "core/cache/stored_model.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/cache/cache_image.h"
#include "core/runtime/execution.h"
#include "tests/support/caches/resealed_cache.h"
#include "tests/support/graph_maker.h"
#include "tests/support/partial_device.h"
#include "tests/support/tensor_views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace nnrt {
namespace {

// Computes like the CPU, and has data to store.
class StoringDevice final : public test::PartialDevice {
 public:
  class Model final : public PreparedModel {
   public:
    explicit Model(std::unique_ptr<PreparedModel> model) : model_(std::move(model)) {}
    Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
               Deadline deadline) override {
      return model_->run(inputs, outputs, deadline);
    }
    Result<Bytes> export_cache(const GraphPtr&) const override { return Bytes(5, std::byte{42}); }

   private:
    std::unique_ptr<PreparedModel> model_;
  };

  StoringDevice() : PartialDevice(cpu::make_device(), [](const Node&) { return true; }) {
    info_ = {.id = 77, .name = "Storing", .vendor = "Tests"};
    type_ = DeviceType::others;
  }
  std::string cache_key() const override { return key; }
  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    ++prepared;
    NNRT_ASSIGN(auto model, PartialDevice::prepare(std::move(graph), options));
    return std::unique_ptr<PreparedModel>(std::make_unique<Model>(std::move(model)));
  }
  Result<std::unique_ptr<PreparedModel>> restore(GraphPtr graph, const CompileOptions& options,
                                                 const SharedBytes& cached) override {
    ++restored;
    last_options = options;
    EXPECT_TRUE(std::ranges::equal(*cached, Bytes(5, std::byte{42})));
    if (!accepts_bytes) return Error{Code::invalid_file, "The bytes are not those of a model."};
    NNRT_ASSIGN(auto model, PartialDevice::prepare(std::move(graph), options));
    return std::unique_ptr<PreparedModel>(std::make_unique<Model>(std::move(model)));
  }

  std::string key = "driver 1";
  bool accepts_bytes = true;
  int prepared = 0, restored = 0;
  CompileOptions last_options;
};

// y = relu(x + [1, -2, 3])
GraphPtr small_graph() {
  test::GraphMaker maker;
  const TensorId x = maker.input({3}), c = maker.floats({3}, {1, -2, 3});
  return maker.finish({maker.op(Op::relu, {maker.op(Op::add, {x, c}, {3})}, {3})});
}

Bytes bytes_of(const CompiledModel& model, uint32_t version = 1) {
  auto image = make_image(model, version).value();
  Bytes bytes;
  for (const SharedBytes& piece : image.pieces) bytes.insert(bytes.end(), piece->begin(), piece->end());
  EXPECT_EQ(bytes.size(), image.size());
  return bytes;
}

Bytes stored_on(Device& device, Device* fallback = nullptr, const CompileOptions& options = {}) {
  auto model = compile(small_graph(), device, fallback, options).value();
  return bytes_of(*model);
}

Result<RestoredModel> restore(const Bytes& bytes, const RestoreRequest& request) {
  NNRT_ASSIGN(const StoredModel stored, StoredModel::open(source_of(bytes)));
  return stored.restore(request);
}

void expect_runs(const std::shared_ptr<const CompiledModel>& model) {
  const TensorView x = test::view_of<float>({3}, {1, 1, 1});
  OutputSlot y{test::view_of<float>({3}, {0, 0, 0})};
  ASSERT_TRUE(Execution(model).run({&x, 1}, {&y, 1}, {}).ok());
  EXPECT_EQ(test::values_of<float>(y.view), (std::vector<float>{2, 0, 4}));
}

TEST(StoredModel, ReturnsDeviceBlob) {
  StoringDevice device;
  const Bytes bytes = stored_on(device);
  device.prepared = 0;
  auto restored = restore(bytes, {device, nullptr, {.priority = Priority::high}, nullptr});
  ASSERT_TRUE(restored.ok());
  EXPECT_FALSE(restored.value().renewed);
  EXPECT_EQ(device.restored, 1);
  EXPECT_EQ(device.prepared, 0);
  EXPECT_EQ(device.last_options.priority, Priority::high);
  expect_runs(restored.value().model);
  EXPECT_EQ(bytes_of(*restored.value().model), bytes);
}

TEST(StoredModel, PrefersTheClientsGraph) {
  StoringDevice device;
  const Bytes bytes = stored_on(device);
  const GraphPtr graph = small_graph();
  auto restored = restore(bytes, {device, nullptr, {}, graph}).value();
  EXPECT_EQ(restored.model->graph, graph);
  expect_runs(restored.model);
}

TEST(StoredModel, IsMadeAnewForAnotherDriver) {
  StoringDevice device;
  const Bytes bytes = stored_on(device);
  device.key = "driver 2";
  device.prepared = 0;
  auto restored = restore(bytes, {device, nullptr, {}, nullptr});
  ASSERT_TRUE(restored.ok());
  EXPECT_TRUE(restored.value().renewed);
  EXPECT_EQ(device.restored, 0);
  EXPECT_EQ(device.prepared, 1);
  expect_runs(restored.value().model);
}

TEST(StoredModel, RecompilesIfTheDeviceRefuses) {
  StoringDevice device;
  const Bytes bytes = stored_on(device);
  device.accepts_bytes = false;
  auto restored = restore(bytes, {device, nullptr, {}, nullptr}).value();
  EXPECT_TRUE(restored.renewed);
  expect_runs(restored.model);
}

TEST(StoredModel, KeepsFloat16Option) {
  StoringDevice device;
  const Bytes bytes = stored_on(device, nullptr, {.float16 = true});
  auto restored = restore(bytes, {device, nullptr, {.float16 = false}, nullptr}).value();
  EXPECT_TRUE(restored.model->float16);
  EXPECT_TRUE(device.last_options.float16);
}

TEST(StoredModel, RunsOnTwoDevicesAsItWasCut) {
  const std::shared_ptr<Device> cpu = cpu::make_device();
  test::PartialDevice part(cpu, [](const Node& node) { return node.op == Op::relu; });
  const auto model = compile(small_graph(), part, cpu.get(), {});
  ASSERT_TRUE(model.ok());
  const Bytes bytes = bytes_of(*model.value());
  auto restored = restore(bytes, {part, cpu.get(), {}, nullptr}).value();
  ASSERT_EQ(restored.model->partitions.size(), 2u);
  EXPECT_EQ(restored.model->placement_table(), model.value()->placement_table());
  expect_runs(restored.model);
}

TEST(StoredModel, RequiresItsDevices) {
  const std::shared_ptr<Device> cpu = cpu::make_device();
  test::PartialDevice part(cpu, [](const Node& node) { return node.op == Op::relu; });
  StoringDevice other;
  const Bytes bytes = stored_on(part, cpu.get());
  for (const auto& request :
       {RestoreRequest{part, nullptr, {}, nullptr}, RestoreRequest{part, &other, {}, nullptr},
        RestoreRequest{other, cpu.get(), {}, nullptr}}) {
    const auto restored = restore(bytes, request);
    ASSERT_FALSE(restored.ok());
    EXPECT_EQ(restored.error().code, Code::invalid_file);
  }
}

// A forger can fix checksums: the contents are verified, and an accepted model must be runnable.
TEST(StoredModel, ForgedInAnyByteIsRefusedOrSound) {
  const std::shared_ptr<Device> cpu = cpu::make_device();
  const Bytes bytes = stored_on(*cpu);
  const CacheHeader header = CacheHeader::decode(bytes).value();
  size_t refused = 0;
  for (size_t position = kHeaderBytes; position < bytes.size(); ++position) {
    for (const std::byte change : {std::byte{1}, std::byte{0x80}, std::byte{0xff}}) {
      Bytes forged = bytes;
      forged[position] ^= change;
      const auto restored = restore(test::resealed(std::move(forged), header), {*cpu, nullptr, {}, nullptr});
      refused += restored.ok() ? 0 : 1;
      EXPECT_TRUE(restored.ok() || restored.error().code == Code::invalid_file);
    }
  }
  EXPECT_GT(refused, bytes.size());
}

// Otherwise the second would start at an odd address.
TEST(StoredModel, RejectsUnpaddedConstants) {
  const std::shared_ptr<Device> cpu = cpu::make_device();
  test::GraphMaker maker;
  const TensorId x = maker.input({3}), a = maker.floats({3}, {1, -2, 3}), b = maker.floats({3}, {4, 5, 6});
  const GraphPtr graph = maker.finish({maker.op(Op::mul, {maker.op(Op::add, {x, a}, {3}), b}, {3})});
  Bytes bytes = bytes_of(*compile(graph, *cpu, nullptr, {}).value());
  const CacheHeader header = CacheHeader::decode(bytes).value();
  const size_t entries = header.constants + header.made;
  std::vector<StoredPart> table(entries);
  std::byte* const stored = bytes.data() + kHeaderBytes + header.body - entries * sizeof(StoredPart);
  std::memcpy(table.data(), stored, entries * sizeof(StoredPart));
  ++table[0].bytes;
  --table[1].bytes;
  std::memcpy(stored, table.data(), entries * sizeof(StoredPart));
  const auto restored = restore(test::resealed(std::move(bytes), header), {*cpu, nullptr, {}, nullptr});
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, Code::invalid_file);
}

}  // namespace
}  // namespace nnrt
