// Limits the number of runs inside a device or an executor.
#pragma once

#include "core/base/result.h"
#include "core/device/device.h"

#include <list>
#include <mutex>
#include <utility>

namespace nnrt {

// Waiting runs enter by priority (none counts as medium), then in call order. There is no starvation: a run
// can be overtaken kMaxOvertaking times at most. Runs inside are never interrupted. Entering and leaving an
// uncontended gate takes about ten nanoseconds each.
class RunGate {
 public:
  static constexpr unsigned kMaxOvertaking = 16;

  explicit RunGate(unsigned slots) : free_(slots) {}
  RunGate(const RunGate&) = delete;
  RunGate& operator=(const RunGate&) = delete;

  // Occupies a slot until destroyed. The gate must outlive it.
  class Pass {
   public:
    explicit Pass(RunGate& gate) : gate_(&gate) {}
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (gate_ != nullptr) gate_->leave();
    }

   private:
    RunGate* gate_;
  };

  // Waits for a free slot. Code::timeout if the deadline comes first.
  Result<Pass> enter(Priority priority, Deadline deadline);

  size_t waiting() const;  // a snapshot

 private:
  struct Waiter;

  void leave();
  std::list<Waiter*>::iterator join_queue(Waiter& waiter);

  mutable std::mutex mutex_;  // guards the following members
  unsigned free_;
  std::list<Waiter*> queue_;  // in order of entry
};

}  // namespace nnrt
