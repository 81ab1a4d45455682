// Releases the GIL while the runtime works.
#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

#include <atomic>
#include <memory>

namespace nnrt::python {

// Releases the GIL during its lifetime. If a daemon thread takes the GIL while the interpreter exits,
// Python unwinds its stack, which terminates in a destructor: such a thread sleeps until the process ends
// instead.
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

  // Call once no thread can take the GIL any more. Waits, up to a limit, for runs of daemon threads,
  // because drivers are destroyed when the process exits.
  static void wait_for_work() {
    constexpr int kMaxMilliseconds = 5000;
    for (int i = 0; i < kMaxMilliseconds && working_ > 0; ++i) usleep(1000);
  }

 private:
  static inline std::atomic<int> working_ = 0;
  PyThreadState* state_;
};

// Deletes without the GIL: freeing a model takes as long as a run.
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
