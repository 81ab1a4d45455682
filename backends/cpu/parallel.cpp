#include "backends/cpu/parallel.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace nnrt::cpu {
namespace {

// Waits a little while for what is expected soon: the next loop of a run, or the last piece of this one. To
// sleep and to be woken takes longer than most loops.
template <typename Condition>
void spin(const Condition& condition) {
  constexpr auto kPatience = std::chrono::microseconds(40);
  constexpr int kLooksBetweenClocks = 16;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < kLooksBetweenClocks; ++i) {
      if (condition()) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < end);
}

unsigned threads_wanted() {
  unsigned threads = std::max(std::thread::hardware_concurrency(), 1u);
  if (const char* text = std::getenv("NNRT_THREADS")) {
    unsigned asked = 0;
    const auto parsed = std::from_chars(text, text + std::strlen(text), asked);
    if (parsed.ec == std::errc() && *parsed.ptr == '\0' && asked > 0) threads = asked;
  }
  return std::min(threads, 256u);
}

}  // namespace

// One parallel_for in progress; lives on its caller's stack.
struct ThreadPool::Loop {
  const Body body;
  const int64_t count, piece;
  const unsigned most_helpers;
  const int priority;
  Loop* later = nullptr;  // the next in the pool's list
  unsigned joined = 0;    // helpers that came in, also those that left; guarded by the pool's mutex
  std::atomic<int64_t> next{0};
  std::atomic<unsigned> helpers{0};  // that are inside
  std::atomic<bool> failed{false};
  std::exception_ptr error = nullptr;  // of the piece that failed first; read once nobody is inside

  bool exhausted() const { return next.load(std::memory_order_relaxed) >= count; }
  // Nobody leaves before all pieces are taken, so that no more than most_helpers ever join.
  bool is_open() const { return !exhausted() && joined < most_helpers; }

  void work(unsigned worker) {
    try {
      while (!exhausted()) {
        const int64_t begin = next.fetch_add(piece, std::memory_order_relaxed);
        if (begin < count) body.call(body.of, begin, std::min(begin + piece, count), worker);
      }
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
      next.store(count, std::memory_order_relaxed);
    }
  }
};

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable work_added, helper_left;
  Loop* first = nullptr;            // of those in progress, by priority
  std::atomic<uint32_t> posted{0};  // counts loops
  unsigned asleep = 0;              // helpers that wait for work_added
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

  // Until a loop is open or the pool stops.
  Loop* wait_for_loop(std::unique_lock<std::mutex>& lock) {
    Loop* loop = open_loop();
    if (loop != nullptr || stopping) return loop;
    const uint32_t seen = posted.load(std::memory_order_relaxed);
    lock.unlock();
    spin([&] { return posted.load(std::memory_order_relaxed) != seen; });
    lock.lock();
    ++asleep;
    work_added.wait(lock, [&] { return stopping || (loop = open_loop()) != nullptr; });
    --asleep;
    return loop;
  }

  void help() {
    std::unique_lock lock(mutex);
    while (Loop* const loop = wait_for_loop(lock)) {
      loop->helpers.fetch_add(1, std::memory_order_relaxed);
      const unsigned worker = ++loop->joined;
      lock.unlock();
      loop->work(worker);
      lock.lock();
      // The loop may be gone right after this.
      if (loop->helpers.fetch_sub(1, std::memory_order_release) == 1) helper_left.notify_all();
    }
  }
};

ThreadPool::ThreadPool(unsigned threads) : state_(std::make_shared<State>()) {
  try {
    for (unsigned i = 1; i < threads; ++i)
      state_->helpers.emplace_back([state = state_.get()] { state->help(); });
  } catch (const std::system_error&) {
    // The system has no more threads to give: those that started are enough.
  }
  threads_ = unsigned(state_->helpers.size()) + 1;
}

ThreadPool::ThreadPool(std::shared_ptr<State> state, unsigned threads, int priority)
    : state_(std::move(state)), threads_(threads), priority_(priority) {}

ThreadPool& ThreadPool::shared() {
  // Never destroyed: threads cannot be joined safely from exit handlers.
  static ThreadPool* const pool = std::make_unique<ThreadPool>(threads_wanted()).release();
  return *pool;
}

ThreadPool ThreadPool::share(unsigned most_threads, int priority) const {
  return {state_, std::clamp(most_threads, 1u, threads_), priority};
}

unsigned ThreadPool::threads() const { return threads_; }

void ThreadPool::share_loop(Body body, int64_t count, int64_t piece) {
  State& state = *state_;
  Loop loop{body, count, piece, threads_ - 1, priority_};
  std::unique_lock lock(state.mutex);
  state.insert(loop);
  state.posted.fetch_add(1, std::memory_order_relaxed);
  const bool wake = state.asleep > 0;
  lock.unlock();
  if (wake) state.work_added.notify_all();
  loop.work(0);
  const auto is_alone = [&] { return loop.helpers.load(std::memory_order_acquire) == 0; };
  lock.lock();
  state.erase(loop);
  if (!is_alone()) {
    lock.unlock();
    spin(is_alone);
    lock.lock();
    state.helper_left.wait(lock, is_alone);
  }
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace nnrt::cpu
