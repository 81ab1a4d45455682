#include "backends/vulkan/device/process_end.h"

#include "core/platform/fork.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>

namespace nnrt::vulkan {
namespace {

// Never destroyed: threads may look at it until the last.
std::shared_timed_mutex& inside() {
  static std::shared_timed_mutex& mutex = *std::make_unique<std::shared_timed_mutex>().release();
  return mutex;
}

std::atomic<bool> ending = false;

// Nobody comes in any more, and the lock is never given back.
void end() {
  ending = true;
  if (is_forked()) return;  // those who are inside are in the parent
  static_cast<void>(inside().try_lock_for(std::chrono::seconds(2)));
}

}  // namespace

void expect_process_end() {
  static const int registered = (inside(), std::atexit(end));
  static_cast<void>(registered);
}

Result<std::shared_lock<std::shared_timed_mutex>> hold_process() {
  std::shared_lock lock(inside(), std::try_to_lock);
  if (!lock || ending) return Error{Code::unavailable_device, "The process is ending."};
  return lock;
}

}  // namespace nnrt::vulkan
