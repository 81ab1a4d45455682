#include "backends/cpu/base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace nnrt::cpu {
namespace {

TEST(ThreadPool, CoversEveryIndexOnce) {
  ThreadPool pool(3);
  std::vector<std::atomic<int>> visits(10007);
  pool.parallel_for(int64_t(visits.size()), 7, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++visits[size_t(i)];
  });
  for (const auto& count : visits) ASSERT_EQ(count, 1);
}

TEST(ThreadPool, GivesPiecesOfAtLeastTheGrain) {
  ThreadPool pool(4);
  std::atomic<int> pieces{0};
  pool.parallel_for(100, 40, [&](int64_t, int64_t) { ++pieces; });
  EXPECT_LE(pieces, 2);
}

TEST(ThreadPool, IgnoresEmptyLoop) {
  ThreadPool pool(2);
  pool.parallel_for(0, 1, [](int64_t, int64_t) { FAIL(); });
}

TEST(ThreadPool, RunsInTheCallerWithOneThread) {
  ThreadPool pool(1);
  std::thread::id runner;
  pool.parallel_for(1000, 1, [&](int64_t, int64_t) { runner = std::this_thread::get_id(); });
  EXPECT_EQ(runner, std::this_thread::get_id());
}

TEST(ThreadPool, LoopsMayNest) {
  ThreadPool pool(4);
  std::atomic<int64_t> sum{0};
  pool.parallel_for(53, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      pool.parallel_for(97, 1, [&](int64_t first, int64_t last) { sum += last - first; });
  });
  EXPECT_EQ(sum, 53 * 97);
}

TEST(ThreadPool, PropagatesExceptions) {
  ThreadPool pool(4);
  const auto fail = [](int64_t begin, int64_t) {
    if (begin > 0) throw std::bad_alloc();
  };
  for (int i = 0; i < 100; ++i) EXPECT_THROW(pool.parallel_for(64, 1, fail), std::bad_alloc);
  std::atomic<int64_t> sum{0};
  pool.parallel_for(64, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
  EXPECT_EQ(sum, 64);
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 5; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        pool.parallel_for(101, 3, [&](int64_t begin, int64_t end) { sum += end - begin; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 5 * 200 * 101);
}

TEST(ThreadPool, LoopsOfAShareHaveItsThreadsOnly) {
  const ThreadPool pool(4);
  for (const unsigned max : {1u, 2u, 3u}) {
    ThreadPool share = pool.share(max, 0);
    EXPECT_EQ(share.threads(), max);
    std::atomic<unsigned> inside = 0, at_once = 0;
    share.parallel_for(1000, 1, [&](int64_t, int64_t) {
      const unsigned now = ++inside;
      if (now > at_once) at_once = now;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      --inside;
    });
    EXPECT_LE(at_once, max);
  }
}

TEST(ThreadPool, SharesAreLimitedToExistingThreads) {
  const ThreadPool pool(2);
  EXPECT_EQ(pool.share(7, 0).threads(), 2u);
  EXPECT_EQ(pool.share(0, 0).threads(), 1u);
}

// A loop whose caller blocks in its first piece until released, so that the helper runs all others.
class HelpedLoop {
 public:
  HelpedLoop(const ThreadPool& pool, int priority, std::function<void()> help)
      : caller_([this, &pool, priority, help = std::move(help)] {
          const std::thread::id caller = std::this_thread::get_id();
          pool.share(2, priority).parallel_for(2, 1, [&](int64_t, int64_t) {
            if (std::this_thread::get_id() != caller) return help();
            started_ = true;
            while (!may_go_) std::this_thread::yield();
          });
        }) {
    while (!started_) std::this_thread::yield();
  }
  ~HelpedLoop() {
    may_go_ = true;
    caller_.join();
  }

 private:
  std::atomic<bool> started_ = false, may_go_ = false;
  std::thread caller_;
};

TEST(ThreadPool, HelpsTheLoopOfTheHighestPriorityFirst) {
  const ThreadPool pool(2);
  std::atomic<bool> is_held = false, hold = true;
  std::atomic<size_t> helped = 0;
  std::vector<int> order;  // pieces run by the helper
  const HelpedLoop holder(pool, 9, [&] {
    is_held = true;
    while (hold) std::this_thread::yield();
  });
  while (!is_held) std::this_thread::yield();
  std::deque<HelpedLoop> loops;
  for (const int priority : {1, 3, 2, 3}) {
    loops.emplace_back(pool, priority, [&, place = int(loops.size())] {
      order.push_back(place);
      ++helped;
    });
  }
  hold = false;
  while (helped < 4) std::this_thread::yield();
  EXPECT_EQ(order, (std::vector<int>{1, 3, 2, 0}));
}

// Runs two pieces on two threads: the caller's ends once the helper's began.
void run_with_helper(ThreadPool& pool, const std::function<void()>& help) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> helped = false;
  pool.parallel_for(2, 1, [&](int64_t, int64_t) {
    if (std::this_thread::get_id() == caller) {
      while (!helped) std::this_thread::yield();
    } else {
      helped = true;
      help();
    }
  });
}

TEST(ThreadPool, WakesSleepingHelpers) {
  ThreadPool pool(2);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // longer than helpers spin
    int helps = 0;
    run_with_helper(pool, [&] { ++helps; });
    EXPECT_GE(helps, 1);  // 2 if the caller comes late
  }
}

TEST(ThreadPool, WakesSleepingCaller) {
  ThreadPool pool(2);
  for (int i = 0; i < 5; ++i) {
    bool is_done = false;
    run_with_helper(pool, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));  // longer than callers spin
      is_done = true;
    });
    EXPECT_TRUE(is_done);
  }
}

// More than the pool posts at a time: the others run on their callers.
TEST(ThreadPool, RunsManyLoopsAtOnce) {
  constexpr int kLoops = 48;
  const ThreadPool pool(2);
  std::atomic<int> inside = 0;
  std::atomic<int64_t> sum = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kLoops; ++caller) {
    callers.emplace_back([&] {
      bool is_first = true;
      const std::thread::id self = std::this_thread::get_id();
      pool.share(2, 0).parallel_for(100, 1, [&](int64_t begin, int64_t end) {
        if (std::this_thread::get_id() == self && std::exchange(is_first, false)) ++inside;
        while (inside < kLoops) std::this_thread::yield();
        sum += end - begin;
      });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, int64_t(100) * kLoops);
}

TEST(ThreadPool, EveryWorkerOfALoopHasItsNumber) {
  ThreadPool pool(4);
  for (int i = 0; i < 200; ++i) {
    std::atomic<unsigned> busy[4] = {};
    pool.parallel_for(64, 1, [&](int64_t, int64_t, unsigned worker) {
      ASSERT_LT(worker, 4u);
      EXPECT_EQ(++busy[worker], 1u) << "two threads with the same number";
      --busy[worker];
    });
  }
}

}  // namespace
}  // namespace nnrt::cpu
