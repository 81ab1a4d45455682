#include "backends/vulkan/device/parallel_for_each.h"

#include "core/memory/parallel_work.h"

#include <algorithm>
#include <thread>

namespace nnrt::vulkan {

Status for_each_parallel(size_t count, const std::function<Status(size_t)>& work) {
  constexpr size_t kMaxThreads = 8;
  return parallel_work(count, std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMaxThreads), work);
}

}  // namespace nnrt::vulkan
