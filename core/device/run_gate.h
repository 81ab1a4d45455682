// Lets a few runs at a time into a device or an executor.
#pragma once

#include "core/base/result.h"
#include "core/device/device.h"

#include <list>
#include <mutex>
#include <utility>

namespace nnrt {

// Waiting runs enter by priority (none counts as medium), and in the order of their calls where that is the
// same. None starves: one that kMaxOvertaking others overtook is overtaken no more. Who is inside is never
// interrupted. Entering and leaving take some ten nanoseconds each when nobody waits.
class RunGate {
 public:
  static constexpr unsigned kMaxOvertaking = 16;

  explicit RunGate(unsigned slots) : free_(slots) {}
  RunGate(const RunGate&) = delete;
  RunGate& operator=(const RunGate&) = delete;

  // Holds a run inside until it is destroyed. The gate must outlive it.
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

  // Waits until there is room. Code::timeout where the deadline comes first.
  Result<Pass> enter(Priority priority, Deadline deadline);

  size_t waiting() const;  // at this moment

 private:
  struct Waiter;

  void leave();
  std::list<Waiter*>::iterator join_queue(Waiter& waiter);

  mutable std::mutex mutex_;  // guards what follows
  unsigned free_;
  std::list<Waiter*> queue_;  // in the order in which they enter
};

}  // namespace nnrt
