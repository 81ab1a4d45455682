// Workers of a run that cannot all start, for lack of memory.
#include "core/runtime/parallel_executor.h"

#include "core/base/exceptions.h"
#include "tests/support/graph_maker.h"
#include "tests/support/observed_device.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

namespace {
// Number of allocations on this thread that succeed before one fails. -1: all succeed.
thread_local int allocations_left = -1;
}  // namespace

[[gnu::noinline]] void* operator new(size_t bytes) {
  const bool is_refused = allocations_left >= 0 && allocations_left-- == 0;
  if (void* const memory = is_refused ? nullptr : std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace nnrt::test {
namespace {

// Three devices with one independent node each.
class ParallelExecutorTest : public testing::Test {
 protected:
  ParallelExecutorTest() {
    GraphMaker maker;
    std::vector<TensorId> outputs;
    for (int i = 0; i < 3; ++i) outputs.push_back(maker.op(Op::relu, {maker.input({2})}, {2}));
    model_.lowered = model_.graph = maker.finish(outputs);
    for (NodeId node = 0; node < 3; ++node) {
      const Node& its_node = model_.lowered->nodes[node];
      model_.partitions.push_back({nullptr, devices_[node].get(), {node}, its_node.inputs, its_node.outputs});
    }
  }

  static std::unique_ptr<Device> make(size_t id) {
    return std::make_unique<WatchedDevice>(
        id, [](const Node&) { return true; }, [] { return Status(); });
  }

  const std::unique_ptr<Device> devices_[3] = {make(1), make(2), make(3)};
  CompiledModel model_;
};

TEST_F(ParallelExecutorTest, JoinsAfterFailedStart) {
  std::atomic<int> under_way = 0, done = 0;
  const ParallelExecutor::RunPartition partition = [&](size_t) {
    ++under_way;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --under_way;
    ++done;
    return Status();
  };
  int refused = 0;
  for (bool is_over = false; !is_over; ++refused) {
    ParallelExecutor workers(model_);
    allocations_left = refused;
    const Status status = catching([&] { return workers.run(partition); });
    is_over = allocations_left >= 0;  // all allocations succeeded
    allocations_left = -1;
    EXPECT_EQ(under_way, 0);
    EXPECT_EQ(status.ok(), is_over);
    if (!status.ok()) {
      EXPECT_EQ(status.error().code, Code::memory);
    }
    done = 0;
    EXPECT_TRUE(workers.run(partition).ok());
    EXPECT_EQ(done, 3);
  }
  EXPECT_GT(refused, 4);
}

}  // namespace
}  // namespace nnrt::test
