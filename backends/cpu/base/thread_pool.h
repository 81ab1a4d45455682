// A small thread pool for loops.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace nnrt::cpu {

class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);  // the caller's included

  // The pool of the process, with a thread for each core (or NNRT_THREADS).
  static ThreadPool& shared();

  // The same threads, of which a loop has at most so many (its caller's included) and comes before loops of
  // lower priority.
  ThreadPool share(unsigned max_threads, int priority) const;

  unsigned threads() const;  // threads that a loop may have

  // Calls body(begin, end), or body(begin, end, worker), for pieces of [0, count) of at least `grain`, from
  // several threads; returns when all are done. `worker` is below threads() and another in each thread of the
  // loop; that of the caller is 0. An exception of a piece (memory may be short) ends the loop and is thrown
  // again here. Loops of several callers share the threads. A small loop runs in the caller alone. A thread
  // begins at about the same part of [0, count) in each loop: data that it wrote in one is near when it reads
  // it in the next.
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
    // Several pieces for each thread even out pieces, and threads, that take longer than others.
    constexpr int64_t kPiecesPerThread = 16;
    const int64_t worth = count / (grain > 1 ? grain : 1);
    const int64_t max_pieces = int64_t(threads_) * kPiecesPerThread;
    const int64_t pieces = worth < max_pieces ? worth : max_pieces;
    if (pieces <= 1 || threads_ == 1) return call(&body, 0, count, 0);
    share_loop({call, &body}, count, (count + pieces - 1) / pieces);
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

  std::shared_ptr<State> state_;  // common to all shares
  unsigned threads_;
  int priority_ = 0;
};

}  // namespace nnrt::cpu
