// A small thread pool for loops.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace nnrt::cpu {

class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);  // the caller's included
  ~ThreadPool();

  // The pool of the process, with a thread for each core (or NNRT_THREADS).
  static ThreadPool& shared();

  unsigned threads() const;

  // Calls body(begin, end) for pieces of [0, count) of at least `grain`, from several threads; returns when
  // all are done. What a piece throws (memory may be short) ends the loop and is thrown again here. Loops of
  // several callers share the threads. A small loop runs in the caller alone.
  void parallel_for(int64_t count, int64_t grain,
                    const std::function<void(int64_t begin, int64_t end)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nnrt::cpu
