#include "backends/cpu/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>
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

TEST(ThreadPool, RunsNothingForAnEmptyLoop) {
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

TEST(ThreadPool, ThrowsWhatAPieceThrows) {
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

}  // namespace
}  // namespace nnrt::cpu
