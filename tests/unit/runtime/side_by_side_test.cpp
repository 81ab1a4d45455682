// Several executors over two devices, each of which takes one run at a time.
#include "backends/cpu/device.h"
#include "core/compile.h"
#include "core/execution.h"
#include "tests/support/graph_maker.h"
#include "tests/support/partial_device.h"
#include "tests/support/views.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace nnrt::test {
namespace {

// Takes the nodes that a test says, and tells it of each run on the way in.
class WatchedDevice final : public Device {
 public:
  using Watch = std::function<void()>;
  WatchedDevice(size_t id, std::function<bool(const Node&)> takes, Watch watch)
      : partial_(cpu::make_device(), std::move(takes)), watch_(std::move(watch)) {
    info_ = partial_.info();
    info_.id = id;
  }

  const DeviceInfo& info() const override { return info_; }
  DeviceStatus status() const override { return DeviceStatus::available; }
  std::vector<Refusal> supports(const Graph& graph, const CompileOptions& options) const override {
    return partial_.supports(graph, options);
  }
  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    NNRT_ASSIGN(auto model, partial_.prepare(std::move(graph), options));
    return std::unique_ptr<PreparedModel>(std::make_unique<Model>(std::move(model), watch_));
  }
  RunGate* gate() override { return &gate_; }

 private:
  struct Model final : PreparedModel {
    Model(std::unique_ptr<PreparedModel> its_model, const Watch& its_watch)
        : model(std::move(its_model)), watch(its_watch) {}
    Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
               Deadline deadline) override {
      watch();
      return model->run(inputs, outputs, deadline);
    }
    std::unique_ptr<PreparedModel> model;
    const Watch& watch;
  };

  PartialDevice partial_;
  DeviceInfo info_;
  Watch watch_;
  RunGate gate_{1};
};

// Lets nobody on before both are there.
class Meeting {
 public:
  bool attend() {
    std::unique_lock lock(mutex_);
    ++present_;
    changed_.notify_all();
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return present_ >= 2; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int present_ = 0;
};

GraphPtr relu_then_exp() {
  GraphMaker make;
  const TensorId x = make.input({2});
  return make.finish({make.op(Op::exp, {make.op(Op::relu, {x}, {2})}, {2})});
}

Status run_once(Execution& execution) {
  std::vector<TensorView> outputs{empty_view(8)};
  return execution.run(std::vector{view_of<float>({2}, {1, -1})}, outputs, {});
}

// The RELU of one executor on the CPU and the EXP of another on the GPU wait for each other: they are inside
// of their devices at the same time, or never.
TEST(SideBySide, PartitionsOnDifferentDevicesRunAtTheSameTime) {
  Meeting meeting;
  std::atomic<int> relus = 0, exps = 0, missed = 0;
  WatchedDevice cpu(
      1, [](const Node& node) { return node.op == Op::relu; },
      [&] {
        if (++relus == 2 && !meeting.attend()) ++missed;
      });
  WatchedDevice gpu(
      2, [](const Node& node) { return node.op == Op::exp; },
      [&] {
        if (++exps == 1 && !meeting.attend()) ++missed;
      });
  const auto model = compile(relu_then_exp(), gpu, &cpu, {}).value();
  ASSERT_EQ(model->steps.size(), 2u);

  Execution first(model), second(model);
  Status of_first, of_second;
  std::thread one([&] { of_first = run_once(first); });
  std::thread other([&] { of_second = run_once(second); });
  one.join();
  other.join();
  EXPECT_TRUE(of_first.ok() && of_second.ok());
  EXPECT_EQ(missed, 0);
}

TEST(SideBySide, ADeviceHasAsManyRunsInsideAsItsGateLetsIn) {
  std::atomic<int> inside = 0, most = 0;
  WatchedDevice device(
      1, [](const Node&) { return true; },
      [&] {
        const int now = ++inside;
        if (now > most) most = now;
        std::this_thread::yield();
        --inside;
      });
  const auto model = compile(relu_then_exp(), device, nullptr, {}).value();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Execution execution(model);
      for (int i = 0; i < 50; ++i) EXPECT_TRUE(run_once(execution).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace nnrt::test
