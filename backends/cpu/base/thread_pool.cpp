#include "backends/cpu/base/thread_pool.h"

#include "core/platform/settings.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace nnrt::cpu {
namespace {

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins briefly on a condition expected soon: the run's next loop, or this loop's last piece. Sleeping and
// waking takes longer than most loops.
template <typename Condition>
bool spin(const Condition& condition) {
  constexpr auto kPatience = std::chrono::microseconds(100);
  constexpr int kLooksBetweenClocks = 16;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < kLooksBetweenClocks; ++i) {
      if (condition()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// The pool's mutex is held for a few instructions only. Sleeping on it costs more than most loops.
void lock_soon(std::unique_lock<std::mutex>& lock) {
  constexpr int kAttempts = 200;
  for (int i = 0; i < kAttempts; ++i) {
    if (lock.try_lock()) return;
    pause();
  }
  lock.lock();
}

unsigned threads_wanted() {
  constexpr uint64_t kMaxThreads = 256;
  const uint64_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  return unsigned(std::min(setting_number(Setting::threads).value_or(cores), kMaxThreads));
}

// The work queue of a loop. Each thread has a contiguous share, the same in every loop, so it finds its data
// in cache; a thread that finishes steals from the end of another share.
class Pieces {
 public:
  Pieces(int64_t count, unsigned threads) : shares_(std::min(threads, kMaxShares)), left_(int64_t(count)) {
    for (unsigned i = 0; i < shares_; ++i)
      share_[i].range.store(packed(uint32_t(count * i / shares_), uint32_t(count * (i + 1) / shares_)),
                            std::memory_order_relaxed);
  }

  struct Range {
    uint32_t begin = 0, end = 0;
  };
  // Chunks shrink toward the end of a share; empty when no work is left.
  Range take(unsigned thread) {
    for (unsigned i = 0; i < shares_; ++i) {
      const Range taken = take_from(share_[(thread + i) % shares_].range, i > 0);
      if (taken.begin == taken.end) continue;
      left_.fetch_sub(taken.end - taken.begin, std::memory_order_relaxed);
      return taken;
    }
    return {};
  }
  bool none_left() const { return left_.load(std::memory_order_relaxed) <= 0; }
  void drop_all() {
    for (unsigned i = 0; i < shares_; ++i) share_[i].range.store(0, std::memory_order_relaxed);
    left_.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned kMaxShares = 16;  // additional threads share these
  static constexpr uint32_t kPart = 4;  // take 1/kPart of what remains, to leave work for others to steal
  struct alignas(64) Share {
    std::atomic<uint64_t> range{0};
  };
  static uint64_t packed(uint32_t begin, uint32_t end) { return uint64_t{begin} << 32 | end; }

  static Range take_from(std::atomic<uint64_t>& range, bool from_end) {
    uint64_t now = range.load(std::memory_order_relaxed);
    while (true) {
      const auto begin = uint32_t(now >> 32), end = uint32_t(now);
      if (begin == end) return {};
      const uint32_t count = std::max((end - begin) / kPart, 1u);
      const uint64_t rest = from_end ? packed(begin, end - count) : packed(begin + count, end);
      if (!range.compare_exchange_weak(now, rest, std::memory_order_relaxed)) continue;
      return from_end ? Range{end - count, end} : Range{begin, begin + count};
    }
  }

  Share share_[kMaxShares];
  unsigned shares_;
  std::atomic<int64_t> left_;
};

}  // namespace

// A parallel_for in progress; lives on the caller's stack.
struct ThreadPool::Loop {
  const Body body;
  const int64_t count, piece;
  const unsigned max_helpers;
  const int priority;
  Pieces pieces;
  Loop* later = nullptr;  // next loop in the pool's list
  unsigned joined = 0;    // helpers that ever joined, including those that left; guarded by the pool's mutex
  std::atomic<unsigned> helpers{0};  // helpers currently inside
  std::atomic<bool> failed{false};
  std::exception_ptr error = nullptr;  // from the first piece that failed; read once no helper is inside

  // No helper leaves before all pieces are taken, so at most max_helpers ever join.
  bool is_open() const { return !pieces.none_left() && joined < max_helpers; }

  // `thread` is stable across loops; `worker` is below the number of threads in this loop.
  void work(unsigned thread, unsigned worker) {
    try {
      while (!pieces.none_left()) {
        const Pieces::Range taken = pieces.take(thread);
        if (taken.begin < taken.end)
          body.call(body.of, taken.begin * piece, std::min(taken.end * piece, count), worker);
      }
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
      pieces.drop_all();
    }
  }
};

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable work_added, helper_left;
  Loop* first = nullptr;            // loops in progress, by priority
  std::atomic<uint32_t> posted{0};  // loops posted so far
  unsigned asleep = 0;              // helpers waiting for work_added
  bool stopping = false;
  std::vector<std::thread> helpers;

  ~State() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
      ++posted;
    }
    work_added.notify_all();
    for (std::thread& helper : helpers) helper.join();
  }

  void insert(Loop& loop) {
    Loop** place = &first;
    while (*place != nullptr && (*place)->priority >= loop.priority) place = &(*place)->later;
    loop.later = *place;
    *place = &loop;
  }

  void erase(const Loop& loop) {
    Loop** place = &first;
    while (*place != &loop) place = &(*place)->later;
    *place = loop.later;
  }

  Loop* open_loop() const {
    Loop* loop = first;
    while (loop != nullptr && !loop->is_open()) loop = loop->later;
    return loop;
  }

  // Waits until a loop is open or the pool stops.
  Loop* wait_for_loop(std::unique_lock<std::mutex>& lock) {
    Loop* loop = open_loop();
    if (loop != nullptr || stopping) return loop;
    // A loop may finish before this thread sees it.
    while (loop == nullptr && !stopping) {
      const uint32_t seen = posted.load(std::memory_order_relaxed);
      lock.unlock();
      const bool came = spin([&] { return posted.load(std::memory_order_relaxed) != seen; });
      lock_soon(lock);
      loop = open_loop();
      if (!came) break;
    }
    if (loop != nullptr || stopping) return loop;
    ++asleep;
    work_added.wait(lock, [&] { return stopping || (loop = open_loop()) != nullptr; });
    --asleep;
    return loop;
  }

  void help(unsigned thread) {
    std::unique_lock lock(mutex);
    while (Loop* const loop = wait_for_loop(lock)) {
      loop->helpers.fetch_add(1, std::memory_order_relaxed);
      const unsigned worker = ++loop->joined;
      lock.unlock();
      loop->work(thread, worker);
      // The loop may be destroyed right after this. Its caller rechecks the count before sleeping.
      const bool was_last = loop->helpers.fetch_sub(1, std::memory_order_release) == 1;
      lock_soon(lock);
      if (was_last) helper_left.notify_all();
    }
  }
};

ThreadPool::ThreadPool(unsigned threads) : state_(std::make_shared<State>()) {
  try {
    for (unsigned i = 1; i < threads; ++i)
      state_->helpers.emplace_back([state = state_.get(), i] { state->help(i); });
  } catch (const std::system_error&) {
    // Out of threads: continue with those that started.
  }
  threads_ = unsigned(state_->helpers.size()) + 1;
}

ThreadPool::ThreadPool(std::shared_ptr<State> state, unsigned threads, int priority)
    : state_(std::move(state)), threads_(threads), priority_(priority) {}

ThreadPool& ThreadPool::shared() {
  // Leaked deliberately: threads cannot be joined safely from exit handlers.
  static ThreadPool* const pool = std::make_unique<ThreadPool>(threads_wanted()).release();
  return *pool;
}

ThreadPool ThreadPool::share(unsigned max_threads, int priority) const {
  return {state_, std::clamp(max_threads, 1u, threads_), priority};
}

unsigned ThreadPool::threads() const { return threads_; }

void ThreadPool::share_loop(Body body, int64_t count, int64_t piece) {
  State& state = *state_;
  Loop loop{body, count, piece, threads_ - 1, priority_, Pieces((count + piece - 1) / piece, threads_)};
  std::unique_lock lock(state.mutex, std::defer_lock);
  lock_soon(lock);
  state.insert(loop);
  const bool wake = state.asleep > 0;
  lock.unlock();
  // Helpers that spin on the count lock the mutex next.
  state.posted.fetch_add(1, std::memory_order_relaxed);
  if (wake) state.work_added.notify_all();
  loop.work(0, 0);
  const auto is_alone = [&] { return loop.helpers.load(std::memory_order_acquire) == 0; };
  lock_soon(lock);
  state.erase(loop);
  lock.unlock();
  if (!spin(is_alone)) {
    lock.lock();
    state.helper_left.wait(lock, is_alone);
  }
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace nnrt::cpu
