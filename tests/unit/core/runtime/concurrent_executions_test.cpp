// Several executors over two devices that each run one at a time.
#include "backends/cpu/engine/cpu_device.h"
#include "core/runtime/compile.h"
#include "core/runtime/execution.h"
#include "tests/support/graph_maker.h"
#include "tests/support/observed_device.h"
#include "tests/support/tensor_views.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace nnrt::test {
namespace {

GraphPtr relu_then_exp() {
  GraphMaker make;
  const TensorId x = make.input({2});
  return make.finish({make.op(Op::exp, {make.op(Op::relu, {x}, {2})}, {2})});
}

Status run_once(Execution& execution) {
  std::vector<OutputSlot> outputs{{empty_view(8)}};
  return execution.run(std::vector{view_of<float>({2}, {1, -1})}, outputs, {});
}

// The RELU of one executor on the CPU and the EXP of another on the GPU wait for each other, so they only
// finish if both devices run at the same time.
TEST(SideBySide, PartitionsOfDifferentDevicesOverlap) {
  Meeting meeting;
  std::atomic<int> relus = 0, exps = 0, missed = 0;
  WatchedDevice cpu(
      1, [](const Node& node) { return node.op == Op::relu; },
      [&] {
        if (++relus == 2 && !meeting.attend()) ++missed;
        return Status();
      });
  WatchedDevice gpu(
      2, [](const Node& node) { return node.op == Op::exp; },
      [&] {
        if (++exps == 1 && !meeting.attend()) ++missed;
        return Status();
      });
  const auto model = compile(relu_then_exp(), gpu, &cpu, {}).value();
  ASSERT_EQ(model->partitions.size(), 2u);

  Execution first(model), second(model);
  Status first_owner, of_second;
  std::thread one([&] { first_owner = run_once(first); });
  std::thread other([&] { of_second = run_once(second); });
  one.join();
  other.join();
  EXPECT_TRUE(first_owner.ok() && of_second.ok());
  EXPECT_EQ(missed, 0);
}

TEST(SideBySide, GateLimitsConcurrentRuns) {
  std::atomic<int> inside = 0, max = 0;
  WatchedDevice device(
      1, [](const Node&) { return true; },
      [&] {
        const int now = ++inside;
        if (now > max) max = now;
        std::this_thread::yield();
        --inside;
        return Status();
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
  EXPECT_EQ(max, 1);
}

}  // namespace
}  // namespace nnrt::test
