// How tensor memory reaches the kernels, with this driver's properties and with simulated ones.
#include "tests/device/device_fixture.h"

#include <fcntl.h>

#include <algorithm>

namespace nnrt::test {
namespace {

TensorView part_of(const TensorView& view, size_t offset, size_t bytes, Shape shape) {
  return {view.memory, offset, bytes, std::move(shape)};
}

TensorView filled(size_t bytes, std::byte value) {
  TensorView view = empty_view(bytes);
  std::fill_n(view.data(), bytes, value);
  return view;
}

bool all_are(const TensorView& view, size_t from, size_t to, std::byte value) {
  return std::all_of(view.memory->data() + from, view.memory->data() + to,
                     [&](std::byte byte) { return byte == value; });
}

TEST(Memory, BindsWithoutCopying) {
  const auto device = make_device();
  ASSERT_TRUE(device->plan().host.binds && device->plan().host.imports);
  const auto model = prepare(*device, elementwise(Op::relu, {5}));
  TensorView y = empty_view(20);
  const Counted counted;
  ASSERT_TRUE(run(*model, {view_of<float>({5}, {-1, 2, -3, 4, -5})}, y).ok());
  EXPECT_EQ(values_of<float>(y), (std::vector<float>{0, 2, 0, 4, 0}));
  EXPECT_EQ(counted.bytes_copied(), 0u);
  EXPECT_EQ(counted.device_copies(), 0u);
}

TEST(Memory, CopiesMisalignedTensorsOnTheDevice) {
  const auto device = make_device();
  const auto model = prepare(*device, elementwise(Op::relu, {3}));
  const TensorView big = view_of<float>({5}, {9, -1, 2, -3, 9});
  TensorView y = empty_view(12);
  const Counted counted;
  ASSERT_TRUE(run(*model, {part_of(big, 4, 12, {3})}, y).ok());
  EXPECT_EQ(values_of<float>(y), (std::vector<float>{0, 2, 0}));
  EXPECT_EQ(counted.bytes_copied(), 0u);
  EXPECT_EQ(counted.device_copies(), 1u);
}

TEST(Memory, AtAnOddOffsetKeepsItsNeighbours) {
  const auto model = prepare(*make_device(), elementwise(Op::logical_not, {7}, DType::boolean));
  TensorView all = filled(64, std::byte{0xa5});
  TensorView y = part_of(all, 13, 7, {});
  ASSERT_TRUE(run(*model, {view_of<uint8_t>({7}, {0, 1, 0, 1, 1, 0, 0})}, y).ok());
  EXPECT_EQ(values_of<uint8_t>(y), (std::vector<uint8_t>{1, 0, 1, 0, 0, 1, 1}));
  EXPECT_TRUE(all_are(all, 0, 13, std::byte{0xa5}));
  EXPECT_TRUE(all_are(all, 20, 64, std::byte{0xa5}));
}

TEST(Memory, CopiesOutputsWithSharedWordsOnTheDevice) {
  const auto model = prepare(*make_device(), elementwise(Op::logical_not, {7}, DType::boolean));
  for (const size_t room : {7u, 64u}) {  // 64: several tensors in one file
    TensorView all = filled(64, std::byte{0xa5});
    TensorView y = part_of(all, 0, room, {});
    const Counted counted;
    ASSERT_TRUE(run(*model, {view_of<uint8_t>({7}, {0, 1, 0, 1, 1, 0, 0})}, y).ok());
    EXPECT_EQ(values_of<uint8_t>(y), (std::vector<uint8_t>{1, 0, 1, 0, 0, 1, 1}));
    EXPECT_EQ(counted.device_copies(), 1u);
    EXPECT_TRUE(all_are(all, 7, 64, std::byte{0xa5}));
  }
}

TEST(Memory, BindsMemoryWithOddTail) {
  const auto model = prepare(*make_device(), elementwise(Op::logical_not, {7}, DType::boolean));
  TensorView y = empty_view(7);
  const Counted counted;
  ASSERT_TRUE(run(*model, {view_of<uint8_t>({7}, {0, 1, 0, 1, 1, 0, 0})}, y).ok());
  EXPECT_EQ(values_of<uint8_t>(y), (std::vector<uint8_t>{1, 0, 1, 0, 0, 1, 1}));
  EXPECT_EQ(counted.device_copies(), 0u);
}

TEST(Memory, CopiesOnDiscreteGpus) {
  vulkan::DevicePlan plan = first_plan();
  plan.host.binds = false;
  const auto model = prepare(*make_device(plan), elementwise(Op::relu, {5}));
  TensorView y = empty_view(20);
  const Counted counted;
  ASSERT_TRUE(run(*model, {view_of<float>({5}, {-1, 2, -3, 4, -5})}, y).ok());
  EXPECT_EQ(values_of<float>(y), (std::vector<float>{0, 2, 0, 4, 0}));
  EXPECT_EQ(counted.bytes_copied(), 0u);
  EXPECT_EQ(counted.device_copies(), 2u);
}

vulkan::DevicePlan discrete_plan() {
  vulkan::DevicePlan plan = first_plan();
  plan.host.binds = false;
  plan.host.direct = {.read_tensor = 64, .read = 4096, .written = 8192};
  return plan;
}

TEST(Memory, BindsSmallTensorsOnDiscreteGpus) {
  const auto model = prepare(*make_device(discrete_plan()), elementwise(Op::relu, {5}));
  TensorView y = empty_view(20);
  const Counted counted;
  ASSERT_TRUE(run(*model, {view_of<float>({5}, {-1, 2, -3, 4, -5})}, y).ok());
  EXPECT_EQ(values_of<float>(y), (std::vector<float>{0, 2, 0, 4, 0}));
  EXPECT_EQ(counted.bytes_copied() + counted.device_copies(), 0u);
}

TEST(Memory, CopiesSingleMediumInputsOnDiscreteGpus) {
  const auto model = prepare(*make_device(discrete_plan()), elementwise(Op::neg, {1009}));
  const std::vector<float> x(1009, 3);
  TensorView y = empty_view(1009 * sizeof(float));
  for (int run_number = 0; run_number < 2; ++run_number) {
    const Counted counted;
    ASSERT_TRUE(run(*model, {view_of<float>({1009}, x)}, y).ok());
    EXPECT_EQ(values_of<float>(y), std::vector<float>(1009, -3));
    EXPECT_EQ(counted.device_copies(), 1u);
  }
}

TEST(Memory, CopiesSmallOutputsWithSharedWordsOnDiscreteGpus) {
  const auto model =
      prepare(*make_device(discrete_plan()), elementwise(Op::logical_not, {7}, DType::boolean));
  TensorView all = filled(64, std::byte{0xa5});
  TensorView y = part_of(all, 0, 7, {});
  const Counted counted;
  ASSERT_TRUE(run(*model, {view_of<uint8_t>({7}, {0, 1, 0, 1, 1, 0, 0})}, y).ok());
  EXPECT_EQ(values_of<uint8_t>(y), (std::vector<uint8_t>{1, 0, 1, 0, 0, 1, 1}));
  EXPECT_EQ(counted.device_copies(), 1u);
  EXPECT_TRUE(all_are(all, 7, 64, std::byte{0xa5}));
}

TEST(Memory, CopiesUnimportableMemoryOnTheCpu) {
  for (const bool bind_host_memory : {true, false}) {
    vulkan::DevicePlan plan = first_plan();
    plan.host.imports = false;
    plan.extensions.clear();
    plan.host.binds = bind_host_memory;
    const auto model = prepare(*make_device(plan), elementwise(Op::logical_not, {7}, DType::boolean));
    TensorView all = filled(64, std::byte{0xa5});
    TensorView y = part_of(all, 13, 7, {});
    const Counted counted;
    ASSERT_TRUE(run(*model, {view_of<uint8_t>({7}, {0, 1, 0, 1, 1, 0, 0})}, y).ok());
    EXPECT_EQ(values_of<uint8_t>(y), (std::vector<uint8_t>{1, 0, 1, 0, 0, 1, 1}));
    EXPECT_TRUE(all_are(all, 0, 13, std::byte{0xa5}) && all_are(all, 20, 64, std::byte{0xa5}));
    EXPECT_EQ(counted.bytes_copied(), 14u);
    EXPECT_EQ(counted.device_copies(), bind_host_memory ? 0u : 2u);
  }
}

TEST(Memory, BindsOrCopiesReadOnlyMemory) {
  const TensorView x = view_of<float>({5}, {-1, 2, -3, 4, -5});
  ASSERT_EQ(fcntl(x.memory->fd(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
  for (const bool import_read_only : {true, false}) {
    vulkan::DevicePlan plan = first_plan();
    ASSERT_TRUE(plan.host.imports_read_only);
    plan.host.imports_read_only = import_read_only;
    const auto model = prepare(*make_device(plan), elementwise(Op::relu, {5}));
    const auto memory = SharedMemory::adopt(x.memory->fd(), 20).value();
    ASSERT_TRUE(memory->read_only());
    TensorView y = empty_view(20);
    const Counted counted;
    ASSERT_TRUE(run(*model, {TensorView{memory, 0, 20, {5}}}, y).ok());
    EXPECT_EQ(values_of<float>(y), (std::vector<float>{0, 2, 0, 4, 0}));
    EXPECT_EQ(counted.bytes_copied(), import_read_only ? 0u : 20u);
  }
}

TEST(Memory, StagesConstantsInSeveralBuffers) {
  vulkan::DevicePlan plan = first_plan();
  plan.host.binds = false;
  plan.max_allocation = 8192;
  const auto device = make_device(plan);
  GraphMaker maker;
  TensorId x = maker.input({1021});
  for (const float value : {1.0f, 2.0f, 3.0f}) {
    x = maker.op(Op::add, {x, maker.floats({1021}, std::vector<float>(1021, value))}, {1021});
  }
  const auto model = prepare(*device, maker.finish({x}));
  EXPECT_EQ(floats_of(*model, {view_of<float>({1021}, std::vector<float>(1021, 0.5f))}),
            std::vector<float>(1021, 6.5f));
}

TEST(Memory, IsImportedOnceForEachDevice) {
  const auto device = make_device();
  const auto context = device->context().value();
  const TensorView view = empty_view(5000);
  const auto import = vulkan::import_host_memory(context, *view.memory);
  ASSERT_NE(import, nullptr);
  EXPECT_EQ(vulkan::import_host_memory(context, *view.memory), import);
}

TEST(Memory, ReportsOutOfMemory) {
  vulkan::DevicePlan plan = first_plan();
  plan.max_allocation = 4096;
  GraphMaker maker;
  const TensorId x = maker.input({2003});
  const auto graph = maker.finish({maker.op(Op::softmax, {maker.op(Op::softmax, {x}, {2003})}, {2003})});
  const auto model = make_device(plan)->prepare(graph, {});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, Code::memory);
}

}  // namespace
}  // namespace nnrt::test
