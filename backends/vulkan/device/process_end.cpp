#include "backends/vulkan/device/process_end.h"

#include "core/platform/fork.h"

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace nnrt::vulkan {
namespace {

// Never destroyed, because threads may use it until the very end.
std::shared_timed_mutex& inside() {
  static std::shared_timed_mutex& mutex = *std::make_unique<std::shared_timed_mutex>().release();
  return mutex;
}

std::atomic<bool> ending = false;

// Closes for good: the lock is never released.
void end() {
  if (ending.exchange(true)) return;  // registered more than once
  if (is_forked()) return;            // the threads are in the parent process
  static_cast<void>(inside().try_lock_for(std::chrono::seconds(10)));
}

}  // namespace

void expect_process_end() {
  static std::atomic<uint32_t> calls = 0;
  inside();
  if (std::has_single_bit(++calls)) static_cast<void>(std::atexit(end));
}

Result<std::shared_lock<std::shared_timed_mutex>> hold_process() {
  std::shared_lock lock(inside(), std::try_to_lock);
  if (!lock || ending) return Error{Code::unavailable_device, "The process is ending."};
  return lock;
}

}  // namespace nnrt::vulkan
