#include "backends/cpu/base/thread_pool.h"

#include "core/platform/settings.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace nnrt::cpu {
namespace {

constexpr size_t kCacheLine = 64;

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

unsigned threads_wanted() {
  constexpr uint64_t kMaxThreads = 256;
  const uint64_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  return unsigned(std::min(setting_number(Setting::threads).value_or(cores), kMaxThreads));
}

// The work queue of a loop. Each thread has a contiguous share, the same in every loop, so it finds its data
// in cache; a thread that finishes steals from the end of another share. A share is a cache line of its own:
// moving a line between cores takes as long as a short piece.
class Pieces {
 public:
  Pieces(int64_t count, unsigned threads) : shares_(std::min(threads, kMaxShares)) {
    for (unsigned i = 0; i < shares_; ++i)
      share_[i].range.store(packed(uint32_t(count * i / shares_), uint32_t(count * (i + 1) / shares_)),
                            std::memory_order_relaxed);
  }

  struct Range {
    uint32_t begin = 0, end = 0;
    bool is_empty() const { return begin == end; }
  };
  // Chunks shrink toward the end of a share; empty when no work is left.
  Range take(unsigned thread) {
    for (unsigned i = 0; i < shares_; ++i) {
      const Range taken = take_from(share_[(thread + i) % shares_].range, i > 0);
      if (!taken.is_empty()) return taken;
    }
    return {};
  }
  void drop_all() {
    for (unsigned i = 0; i < shares_; ++i) share_[i].range.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned kMaxShares = 16;  // additional threads share these
  static constexpr uint32_t kPart = 4;  // take 1/kPart of what remains, to leave work for others to steal
  struct alignas(kCacheLine) Share {
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
};

// What a helper must know of a loop before it joins, in one word: the order of posting (32 bits), the
// priority (8), the number of helpers that joined (12) and of those it still admits (12). No two loops have
// the same.
class Ticket {
 public:
  Ticket() = default;
  explicit Ticket(uint64_t bits) : bits_(bits) {}
  Ticket(uint32_t number, int priority, unsigned admitted)
      : bits_(uint64_t{number} << 32 | uint64_t(std::clamp(priority, -128, 127) + 128) << 24 | admitted) {}

  uint64_t bits() const { return bits_; }
  bool is_open() const { return (bits_ & kAdmitted) != 0; }
  unsigned joined() const { return unsigned(bits_ >> 12) & kAdmitted; }
  Ticket with_helper() const { return Ticket(bits_ + (1u << 12) - 1); }
  // By priority, then by the order of posting.
  bool is_before(const Ticket& other) const {
    const auto rank = uint8_t(bits_ >> 24), other_rank = uint8_t(other.bits_ >> 24);
    return rank != other_rank ? rank > other_rank
                              : int32_t(uint32_t(bits_ >> 32) - uint32_t(other.bits_ >> 32)) < 0;
  }

  static constexpr uint64_t kAdmitted = 0xfff;

 private:
  uint64_t bits_ = 0;
};

}  // namespace

// A parallel_for in progress; lives on the caller's stack.
struct ThreadPool::Loop {
  const Body body;
  const int64_t count, piece;
  Pieces pieces;
  alignas(kCacheLine) std::atomic<unsigned> finished{0};  // helpers that left
  std::atomic<bool> failed{false};
  std::exception_ptr error = nullptr;  // from the first piece that failed; read once all helpers left

  // Returns when no piece is left. `thread` is stable across loops; `worker` is below the number of threads
  // in this loop.
  void work(unsigned thread, unsigned worker) {
    try {
      for (auto taken = pieces.take(thread); !taken.is_empty(); taken = pieces.take(thread))
        body.call(body.of, taken.begin * piece, std::min(taken.end * piece, count), worker);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
      pieces.drop_all();
    }
  }
};

// Loops are posted in slots, where helpers find and join them without a lock. The mutex is only for threads
// that sleep.
struct ThreadPool::State {
  static constexpr unsigned kSlots = 32;  // further loops run on their callers only
  struct alignas(kCacheLine) Slot {
    std::atomic<uint64_t> ticket{0};  // not open: no loop, or enough helpers
    Loop* loop = nullptr;             // read by helpers that joined
  };

  Slot slots[kSlots];
  // Written by callers only.
  alignas(kCacheLine) std::atomic<uint32_t> claimed{0};  // a bit per slot
  std::atomic<uint32_t> posted{0};                       // loops so far
  // Rarely written.
  alignas(kCacheLine) std::atomic<unsigned> used{0};  // slots that were ever claimed
  std::atomic<unsigned> helpers_asleep{0}, callers_asleep{0};
  std::atomic<bool> stopping{false};
  std::mutex mutex;
  std::condition_variable work_added, helper_left;
  std::vector<std::thread> helpers;

  ~State() {
    stopping = true;
    wake(work_added);
    for (std::thread& helper : helpers) helper.join();
  }

  // Call after changing what the sleepers wait for. No wake-up is lost: a thread counts itself as asleep
  // before it checks its condition, with the mutex held.
  void wake(std::condition_variable& sleepers) {
    { const std::lock_guard lock(mutex); }
    sleepers.notify_all();
  }

  // Null if no slot is free.
  Slot* claim() {
    uint32_t now = claimed.load(std::memory_order_relaxed);
    while (~now != 0) {
      const auto free = unsigned(std::countr_one(now));
      if (!claimed.compare_exchange_weak(now, now | 1u << free, std::memory_order_acquire)) continue;
      for (unsigned known = used; known <= free && !used.compare_exchange_weak(known, free + 1);) {
      }
      return &slots[free];
    }
    return nullptr;
  }
  void release(const Slot& slot) {
    claimed.fetch_and(~(1u << unsigned(&slot - slots)), std::memory_order_release);
  }

  void post(Slot& slot, Loop& loop, int priority, unsigned max_helpers) {
    slot.loop = &loop;
    slot.ticket = Ticket(posted.fetch_add(1, std::memory_order_relaxed), priority, max_helpers).bits();
    const unsigned sleepers = std::min<unsigned>(helpers_asleep, max_helpers);
    if (sleepers == 0) return;
    { const std::lock_guard lock(mutex); }
    for (unsigned i = 0; i < sleepers; ++i) work_added.notify_one();
  }

  // Returns when no helper is inside the loop.
  void close(Slot& slot, const Loop& loop) {
    const unsigned joined = Ticket(slot.ticket.exchange(0)).joined();
    const auto is_alone = [&] { return loop.finished == joined; };
    if (is_alone() || spin(is_alone)) return;
    ++callers_asleep;
    {
      std::unique_lock lock(mutex);
      helper_left.wait(lock, is_alone);
    }
    --callers_asleep;
  }

  struct Open {
    Slot* slot = nullptr;
    Ticket ticket{};
  };
  // The open loop to help first.
  Open find_open() {
    Open first;
    const unsigned count = used;
    for (unsigned i = 0; i < count; ++i) {
      const Ticket ticket(slots[i].ticket);
      if (ticket.is_open() && (first.slot == nullptr || ticket.is_before(first.ticket)))
        first = {&slots[i], ticket};
    }
    return first;
  }

  // Waits until a loop is open or the pool stops.
  Open wait_for_loop() {
    Open found;
    const auto is_over = [&] { return (found = find_open()).slot != nullptr || stopping; };
    if (is_over() || spin(is_over)) return found;
    ++helpers_asleep;
    {
      std::unique_lock lock(mutex);
      work_added.wait(lock, is_over);
    }
    --helpers_asleep;
    return found;
  }

  void help(unsigned thread) {
    while (!stopping) {
      const auto [slot, ticket] = wait_for_loop();
      uint64_t expected = ticket.bits();
      if (slot == nullptr || !slot->ticket.compare_exchange_strong(expected, ticket.with_helper().bits()))
        continue;
      Loop& loop = *slot->loop;
      loop.work(thread, ticket.joined() + 1);
      if (Ticket(slot->ticket).is_open()) slot->ticket.fetch_and(~Ticket::kAdmitted);
      ++loop.finished;  // the loop may be destroyed right after this
      if (callers_asleep > 0) wake(helper_left);
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
  State::Slot* const slot = state.claim();
  if (slot == nullptr) return body.call(body.of, 0, count, 0);
  const int64_t pieces = divide_up(count, piece);
  Loop loop{body, count, piece, Pieces(pieces, threads_)};
  state.post(*slot, loop, priority_, unsigned(std::min<int64_t>(threads_, pieces)) - 1);
  loop.work(0, 0);
  state.close(*slot, loop);
  state.release(*slot);
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace nnrt::cpu
