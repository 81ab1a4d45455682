#include "backends/vulkan/runtime/background_task.h"

#include <exception>
#include <utility>

namespace nnrt::vulkan {

Background::~Background() {
  stopping_ = true;
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) thread_.join();
}

bool Background::begin(std::function<void()> work) noexcept {
  if (stopping_ || busy_.exchange(true)) return false;
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) thread_.join();  // the task is done
  try {
    thread_ = std::thread([this, work = std::move(work)] {
      work();
      busy_ = false;
    });
  } catch (const std::exception&) {  // no thread, or no memory for one
    busy_ = false;
    return false;
  }
  return true;
}

}  // namespace nnrt::vulkan
