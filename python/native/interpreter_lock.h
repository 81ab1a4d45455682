// Python's global lock, which is released while the runtime works.
#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

#include <atomic>
#include <memory>

namespace nnrt::python {

// Releases the lock while it lives. Python ends a daemon thread that asks for the lock while the interpreter
// exits, by unwinding its stack, which no destructor allows: such a thread sleeps instead until the process
// is over.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) { ++working_; }
  ~Unlocked() {
    --working_;
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      for (;;) pause();
    }
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  // To be called when no thread gets the lock any more: waits for runs of daemon threads, since drivers are
  // destroyed when the process exits. A run that takes longer is given up.
  static void wait_for_work() {
    constexpr int kMaxMilliseconds = 5000;
    for (int i = 0; i < kMaxMilliseconds && working_ > 0; ++i) usleep(1000);
  }

 private:
  static inline std::atomic<int> working_ = 0;
  PyThreadState* state_;
};

// Deletes without the lock: to free the memory of a model takes as long as a run.
struct DeleteUnlocked {
  template <typename T>
  void operator()(T* object) const {
    const Unlocked unlocked;
    delete object;
  }
};

template <typename T>
using UnlockedPtr = std::unique_ptr<T, DeleteUnlocked>;

}  // namespace nnrt::python
