// A small thread pool for loops.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace nnrt::cpu {

class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);  // the caller's included

  // The pool of the process, with a thread for each core (or NNRT_THREADS).
  static ThreadPool& shared();

  // The same threads, of which a loop has at most so many (its caller's included) and comes before loops of
  // lower priority.
  ThreadPool share(unsigned most_threads, int priority) const;

  unsigned threads() const;  // that a loop may have

  // Calls body(begin, end) for pieces of [0, count) of at least `grain`, from several threads; returns when
  // all are done. What a piece throws (memory may be short) ends the loop and is thrown again here. Loops of
  // several callers share the threads. A small loop runs in the caller alone.
  void parallel_for(int64_t count, int64_t grain,
                    const std::function<void(int64_t begin, int64_t end)>& body);

 private:
  struct State;
  ThreadPool(std::shared_ptr<State> state, unsigned threads, int priority);

  std::shared_ptr<State> state_;  // of all shares
  unsigned threads_;
  int priority_ = 0;
};

}  // namespace nnrt::cpu
