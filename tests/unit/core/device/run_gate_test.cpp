#include "core/device/run_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace nnrt {
namespace {

using namespace std::chrono_literals;

// Runs that queue at a full gate with one slot.
class Queue {
 public:
  ~Queue() {
    if (inside_.has_value()) leave();
  }

  // Returns when the run waits.
  void join(std::string name, Priority priority) {
    const size_t before = gate_.waiting();
    threads_.emplace_back([this, name = std::move(name), priority] {
      const auto pass = gate_.enter(priority, {});
      order_.push_back(name);  // nobody else is inside
    });
    while (gate_.waiting() == before) std::this_thread::yield();
  }

  // Admits them; returns the order in which they were inside.
  std::vector<std::string> leave() {
    inside_.reset();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return order_;
  }

 private:
  RunGate gate_{1};
  std::optional<RunGate::Pass> inside_ = gate_.enter(Priority::none, {}).value();
  std::deque<std::thread> threads_;
  std::vector<std::string> order_;
};

using Order = std::vector<std::string>;

TEST(RunGate, LetsInWhoComesFirst) {
  Queue queue;
  for (const char* name : {"a", "b", "c"}) queue.join(name, Priority::medium);
  EXPECT_EQ(queue.leave(), (Order{"a", "b", "c"}));
}

TEST(RunGate, LetsInByPriorityThenByOrder) {
  Queue queue;
  queue.join("low", Priority::low);
  queue.join("medium", Priority::medium);
  queue.join("high", Priority::high);
  queue.join("later low", Priority::low);
  queue.join("later high", Priority::high);
  queue.join("later medium", Priority::medium);
  EXPECT_EQ(queue.leave(), (Order{"high", "later high", "medium", "later medium", "low", "later low"}));
}

TEST(RunGate, TakesNoPriorityForMedium) {
  Queue queue;
  queue.join("low", Priority::low);
  queue.join("none", Priority::none);
  queue.join("medium", Priority::medium);
  queue.join("later none", Priority::none);
  EXPECT_EQ(queue.leave(), (Order{"none", "medium", "later none", "low"}));
}

TEST(RunGate, LetsNobodyStarve) {
  Queue queue;
  Order expected;
  queue.join("low", Priority::low);
  for (unsigned i = 0; i < RunGate::kMaxOvertaking; ++i) {
    queue.join("high", Priority::high);
    expected.emplace_back("high");
  }
  queue.join("too late", Priority::high);
  expected.insert(expected.end(), {"low", "too late"});
  EXPECT_EQ(queue.leave(), expected);
}

TEST(RunGate, HasRoomForSoManyAtOnce) {
  RunGate gate(2);
  std::atomic<int> inside = 0, max = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 5; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const auto pass = gate.enter(Priority(t % 4), {});
        const int now = ++inside;
        if (now > max) max = now;
        std::this_thread::yield();
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(max, 2);
  EXPECT_TRUE(gate.enter(Priority::none, Clock::now()).ok()) << "all left";
  EXPECT_EQ(gate.waiting(), 0u);
}

TEST(RunGate, TurnsAwayWhoWaitsTooLong) {
  RunGate gate(1);
  {
    const auto inside = gate.enter(Priority::none, {});
    const auto late = gate.enter(Priority::high, Clock::now() + 1ms);
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().code, Code::timeout);
    EXPECT_EQ(gate.waiting(), 0u);
  }
  EXPECT_TRUE(gate.enter(Priority::none, Clock::now()).ok());
}

TEST(RunGate, LetsInWhoHasTimeLeft) {
  RunGate gate(1);
  std::optional<RunGate::Pass> inside = gate.enter(Priority::none, {}).value();
  bool entered = false;
  std::thread patient([&] { entered = gate.enter(Priority::none, Clock::now() + 60s).ok(); });
  while (gate.waiting() == 0) std::this_thread::yield();
  inside.reset();
  patient.join();
  EXPECT_TRUE(entered);
}

}  // namespace
}  // namespace nnrt
