// A hosted device behaves like the device itself.
#include "core/base/text.h"
#include "core/passes/normalize.h"
#include "tests/host/hosted_fixture.h"
#include "tests/support/page_aligned_bytes.h"

#include <condition_variable>
#include <mutex>
#include <numeric>

namespace nnrt::test {
namespace {

using std::chrono::milliseconds;

TEST_F(Hosted, LooksLikeTheDeviceItself) {
  EXPECT_EQ(device_->info().id, served_->info().id);
  EXPECT_EQ(device_->info().name, served_->info().name);
  EXPECT_EQ(device_->info().vendor, served_->info().vendor);
  EXPECT_EQ(device_->type().value(), DeviceType::cpu);
  EXPECT_EQ(device_->cache_key(), served_->cache_key());
  EXPECT_EQ(device_->max_tensor_bytes(), served_->max_tensor_bytes());
  EXPECT_EQ(device_->costs().gflops, served_->costs().gflops);
  EXPECT_EQ(device_->costs().int8_speedup, served_->costs().int8_speedup);
  EXPECT_GT(device_->costs().partition_us, served_->costs().partition_us);
  EXPECT_EQ(device_->status(), DeviceStatus::available);
  const std::vector<DeviceProperty> properties = device_->properties(), served = served_->properties();
  ASSERT_EQ(properties.size(), served.size());
  for (size_t i = 0; i < properties.size(); ++i) {
    EXPECT_EQ(properties[i].name, served[i].name);
    EXPECT_EQ(properties[i].value, served[i].value);
  }
}

TEST_F(Hosted, ComputesInTheClientsMemory) {
  const auto model = prepare(relu({5}));
  const TensorView x = view_of<float>({5}, {1, -2, 3, -4, 5});
  TensorView y = empty_view(20);
  const void* const data = y.memory->data();
  ASSERT_TRUE(run(*model, {x}, y).ok());
  EXPECT_EQ(values_of<float>(y), (std::vector<float>{1, 0, 3, 0, 5}));
  EXPECT_EQ(y.memory->data(), data);
  EXPECT_EQ(y.shape, (Shape{5}));
  reinterpret_cast<float*>(x.memory->data())[1] = 7;
  ASSERT_TRUE(run(*model, {x}, y).ok());
  EXPECT_EQ(values_of<float>(y), (std::vector<float>{1, 7, 3, 0, 5}));
}

// More descriptors than one packet can carry.
TEST_F(Hosted, TakesHundredsOfMemoriesInOneRun) {
  constexpr int kCount = 300;
  GraphMaker maker;
  std::vector<TensorId> outputs;
  std::vector<TensorView> inputs;
  for (int i = 0; i < kCount / 2; ++i) {
    outputs.push_back(maker.op(Op::relu, {maker.input({1})}, {1}));
    inputs.push_back(view_of<float>({1}, {float(i - 5)}));
  }
  const auto model = prepare(maker.finish(outputs));
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<OutputSlot> slots(outputs.size(), OutputSlot{{}, true});
    const Status status = model->run(inputs, slots, {});
    ASSERT_TRUE(status.ok()) << status.error().message;
    for (int i = 0; i < kCount / 2; ++i)
      EXPECT_EQ(values_of<float>(slots[size_t(i)].view)[0], float(std::max(0, i - 5)));
  }
}

TEST_F(Hosted, KeepsNoConstantsBesideTheModel) {
  GraphMaker maker;
  const TensorId weights = maker.floats({1000}, std::vector<float>(1000, 2));
  const GraphPtr graph = maker.finish({maker.op(Op::mul, {maker.input({1000}), weights}, {1000})});
  const auto model = prepare(graph);
  host::Session::Request request;
  ASSERT_TRUE(session().place_constants(*graph, request).ok());
  ASSERT_EQ(request.attachments.size(), 1u) << "what was dropped is sent again";
  EXPECT_EQ(request.attachments[0].kind, host::AttachmentKind::store);
  EXPECT_EQ(request.attachments[0].bytes, 4032u);
}

GraphPtr connected() {
  GraphMaker maker;
  const TensorId weights = maker.floats({4, 3}, std::vector<float>(12, 0.5f));
  const TensorId product =
      maker.op(Op::full_connection, {maker.input({2, 3}), weights, maker.floats({4}, {0, 1, 2, 3})}, {2, 4});
  return normalize(maker.finish({maker.op(Op::relu, {product}, {2, 4})}));
}

TEST_F(Hosted, RestoresExportedCache) {
  const GraphPtr graph = connected();
  const auto model = prepare(graph);
  const Bytes exported = model->export_cache(graph).value();
  ASSERT_FALSE(exported.empty());
  EXPECT_EQ(exported, served_->prepare(graph, {}).value()->export_cache(graph).value());
  auto restored = device_->restore(graph, {}, in_pages(exported)).value();
  TensorView y = empty_view(32);
  ASSERT_TRUE(run(*restored, {view_of<float>({2, 3}, {1, 2, 3, 4, 5, 6})}, y).ok());
  EXPECT_EQ(values_of<float>(y), (std::vector<float>{3, 4, 5, 6, 7.5, 8.5, 9.5, 10.5}));
  EXPECT_EQ(
      device_->restore(graph, {}, in_pages(Bytes(exported.begin(), exported.begin() + 20))).error().code,
      Code::invalid_file);
  EXPECT_EQ(model->arena().bytes, served_->prepare(graph, {}).value()->arena().bytes);
}

TEST_F(Hosted, ReportsTheKernelsOfTheDevice) {
  const GraphPtr graph = connected();
  const KernelReport here = served_->prepare(graph, {}).value()->kernels(graph);
  const KernelReport there = device_->prepare(graph, {}).value()->kernels(graph);
  ASSERT_EQ(here.operations.size(), 1u);
  ASSERT_FALSE(here.operations[0].kernels.at(0).declined.empty());
  ASSERT_EQ(there.operations.size(), 1u);
  EXPECT_EQ(there.operations[0].operation, here.operations[0].operation);
  EXPECT_EQ(there.operations[0].kernels, here.operations[0].kernels);
  EXPECT_EQ(there.operations[0].fused, std::vector<uint32_t>{1});
  EXPECT_EQ(there.passes.size(), here.passes.size());
}

TEST_F(Hosted, RefusesWithTheDevicesOwnWords) {
  script_->supports = [](std::vector<Refusal> refusals) {
    refusals[0] = "Never on Sundays.";
    return refusals;
  };
  const GraphPtr graph = relu({3});
  EXPECT_EQ(device_->supports(*graph, {}).value(), (std::vector<Refusal>{"Never on Sundays."}));
  const auto model = device_->prepare(graph, {});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().message, "Never on Sundays.");
}

TEST_F(Hosted, GivesTheDevicesErrorsBack) {
  for (const Code code :
       {Code::memory, Code::failed, Code::timeout, Code::unavailable_device, Code::dynamic_shape}) {
    script_->before_run = [&](auto, auto, auto) { return Error{code, "So it is."}; };
    const auto model = prepare(relu({3}));
    TensorView y = empty_view(12);
    const Status status = run(*model, {view_of<float>({3}, {1, 2, 3})}, y);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, code);
    EXPECT_EQ(status.error().message, "So it is.");
  }
  EXPECT_EQ(started_, 1);
}

// Each run waits in the device until all have arrived.
TEST_F(Hosted, RunsDoNotWaitForEachOther) {
  constexpr int kRuns = 12;
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0;
  script_->before_run = [&](auto, auto, auto) -> Status {
    std::unique_lock lock(mutex);
    ++inside;
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(20), [&] { return inside == kRuns; });
    return {};
  };
  const auto model = prepare(relu({3}));
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kRuns; ++i) {
    threads.emplace_back([&, i] {
      TensorView y = empty_view(12);
      if (run(*model, {view_of<float>({3}, {float(i), -1, 1})}, y).ok() &&
          values_of<float>(y) == std::vector<float>{float(i), 0, 1})
        ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kRuns);
}

}  // namespace
}  // namespace nnrt::test
