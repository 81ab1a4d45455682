#include "backends/cpu/parallel.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace nnrt::cpu {
namespace {

// One parallel_for in progress; lives on its caller's stack.
struct Loop {
  const std::function<void(int64_t, int64_t)>& body;
  const int64_t count, piece;
  const unsigned most_helpers;
  const int priority;
  std::atomic<int64_t> next{0};
  unsigned helpers = 0;  // threads of the pool that are inside; guarded by the pool's mutex
  std::atomic<bool> failed{false};
  std::exception_ptr error = nullptr;  // of the piece that failed first; read once nobody is inside

  bool exhausted() const { return next.load(std::memory_order_relaxed) >= count; }
  void work() {
    try {
      while (!exhausted()) {
        const int64_t begin = next.fetch_add(piece, std::memory_order_relaxed);
        if (begin < count) body(begin, std::min(begin + piece, count));
      }
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
      next.store(count, std::memory_order_relaxed);
    }
  }
};

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

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable work_added, helper_left;
  std::list<Loop*> loops;  // by priority
  bool stopping = false;
  std::vector<std::thread> helpers;

  ~State() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    work_added.notify_all();
    for (std::thread& helper : helpers) helper.join();
  }

  Loop* open_loop() {
    const auto open = std::find_if(loops.begin(), loops.end(), [](const Loop* l) {
      return !l->exhausted() && l->helpers < l->most_helpers;
    });
    return open == loops.end() ? nullptr : *open;
  }

  void help() {
    std::unique_lock lock(mutex);
    while (true) {
      Loop* loop = nullptr;
      work_added.wait(lock, [&] { return stopping || (loop = open_loop()) != nullptr; });
      if (stopping) return;
      ++loop->helpers;
      lock.unlock();
      loop->work();
      lock.lock();
      if (--loop->helpers == 0) helper_left.notify_all();
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

void ThreadPool::parallel_for(int64_t count, int64_t grain,
                              const std::function<void(int64_t begin, int64_t end)>& body) {
  if (count <= 0) return;
  // Several pieces for each thread even out pieces that take longer than others.
  constexpr int64_t kPiecesPerThread = 4;
  const int64_t pieces = std::min(count / std::max<int64_t>(grain, 1), int64_t(threads_) * kPiecesPerThread);
  if (pieces <= 1 || threads_ == 1) return body(0, count);

  Loop loop{body, count, (count + pieces - 1) / pieces, threads_ - 1, priority_};
  std::unique_lock lock(state_->mutex);
  const auto after = std::find_if(state_->loops.begin(), state_->loops.end(),
                                  [&](const Loop* other) { return other->priority < priority_; });
  const auto place = state_->loops.insert(after, &loop);
  lock.unlock();
  state_->work_added.notify_all();
  loop.work();
  lock.lock();
  state_->loops.erase(place);
  state_->helper_left.wait(lock, [&] { return loop.helpers == 0; });
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace nnrt::cpu
