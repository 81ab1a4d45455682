// A small thread pool for parallel loops.
#pragma once

#include "core/base/divide_up.h"

#include <cstdint>
#include <memory>
#include <type_traits>

namespace nnrt::cpu {

class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);  // including the caller

  // The process-wide pool, with one thread per core (or NNRT_THREADS).
  static ThreadPool& shared();

  // The same pool, limited to `max_threads` per loop (including the caller); its loops run before those of
  // lower priority.
  ThreadPool share(unsigned max_threads, int priority) const;

  unsigned threads() const;  // maximum threads of a loop

  // Calls body(begin, end) or body(begin, end, worker) on pieces of [0, count) of at least `grain` elements,
  // on several threads, and returns when all are done. `worker` is unique per thread of the loop and below
  // threads(); the caller is 0. The first exception thrown by a piece cancels the loop and is rethrown.
  // Callers share the threads; small loops run on the caller only. A thread gets roughly the same part of [0,
  // count) in every loop, so consecutive loops find their data in cache.
  template <typename F>
  void parallel_for(int64_t count, int64_t grain, const F& body) {
    const auto call = [](const void* of, int64_t begin, int64_t end, unsigned worker) {
      if constexpr (std::is_invocable_v<const F&, int64_t, int64_t, unsigned>) {
        (*static_cast<const F*>(of))(begin, end, worker);
      } else {
        (*static_cast<const F*>(of))(begin, end);
      }
    };
    if (count <= 0) return;
    // Several pieces per thread balance the load.
    constexpr int64_t kPiecesPerThread = 16;
    const int64_t worth = count / (grain > 1 ? grain : 1);
    const int64_t max_pieces = int64_t(threads_) * kPiecesPerThread;
    const int64_t pieces = worth < max_pieces ? worth : max_pieces;
    if (pieces <= 1 || threads_ == 1) return call(&body, 0, count, 0);
    share_loop({call, &body}, count, divide_up(count, pieces));
  }

 private:
  struct State;
  struct Body {
    void (*call)(const void* of, int64_t begin, int64_t end, unsigned worker);
    const void* of;
  };
  struct Loop;
  ThreadPool(std::shared_ptr<State> state, unsigned threads, int priority);
  void share_loop(Body body, int64_t count, int64_t piece);

  std::shared_ptr<State> state_;  // shared by all limited pools
  unsigned threads_;
  int priority_ = 0;
};

}  // namespace nnrt::cpu
