#include "core/platform/fork.h"

#include <pthread.h>

#include <atomic>

namespace nnrt {
namespace {

std::atomic<bool> forked = false;

}  // namespace

void expect_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forked = true; });
  static_cast<void>(registered);
}

bool is_forked() { return forked.load(std::memory_order_relaxed); }

Error forked_error() {
  return {Code::unavailable_device,
          "This process was forked after the devices were opened; it can use them only after exec()."};
}

}  // namespace nnrt
