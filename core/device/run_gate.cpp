#include "core/device/run_gate.h"

#include <algorithm>
#include <condition_variable>
#include <iterator>

namespace nnrt {

// Lives on the waiting thread's stack.
struct RunGate::Waiter {
  const int rank;
  unsigned overtaken = 0;
  bool admitted = false;  // admitted by a run that left
  std::condition_variable changed{};
};

Result<RunGate::Pass> RunGate::enter(Priority priority, Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (free_ > 0) {
    --free_;
    return Pass(*this);
  }
  Waiter waiter{nnrt::rank(priority)};
  const auto position = join_queue(waiter);
  const auto admitted = [&] { return waiter.admitted; };
  if (!deadline) {
    waiter.changed.wait(lock, admitted);
  } else if (!waiter.changed.wait_until(lock, *deadline, admitted)) {
    queue_.erase(position);
    return Error{Code::timeout, "The run timed out while it waited for the device."};
  }
  return Pass(*this);
}

size_t RunGate::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void RunGate::leave() {
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) {
    ++free_;
    return;
  }
  Waiter& next = *queue_.front();
  queue_.pop_front();
  next.admitted = true;
  next.changed.notify_one();  // under the lock: the waiter may be destroyed right after it
}

std::list<RunGate::Waiter*>::iterator RunGate::join_queue(Waiter& waiter) {
  const auto overtakes = [&](const Waiter* other) {
    return waiter.rank > other->rank && other->overtaken < kMaxOvertaking;
  };
  auto position = queue_.end();
  while (position != queue_.begin() && overtakes(*std::prev(position))) --position;
  std::for_each(position, queue_.end(), [](Waiter* other) { ++other->overtaken; });
  return queue_.insert(position, &waiter);
}

}  // namespace nnrt
