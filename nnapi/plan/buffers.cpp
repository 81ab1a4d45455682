#include "nnapi/plan/buffers.h"

#include <algorithm>

namespace nnrt::nnapi {
namespace {

constexpr size_t kMaxFree = 64;     // buffers kept for the next run
constexpr size_t kMaxWaste = 4;     // maximum ratio between the sizes of a reused buffer and of the request
constexpr size_t kSmall = 1 << 16;  // buffers up to this size are always reusable

bool fits(size_t have, size_t want) { return have >= want && (have <= kSmall || have / kMaxWaste <= want); }

}  // namespace

Result<std::shared_ptr<SharedMemory>> Buffers::take(size_t bytes) {
  std::shared_ptr<SharedMemory> memory;
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(free_, [&](const auto& piece) { return fits(piece->bytes(), bytes); });
    if (found != free_.end()) {
      memory = std::move(*found);
      free_.erase(found);
    }
  }
  if (memory == nullptr) {
    NNRT_ASSIGN(memory, SharedMemory::create(std::max<size_t>(bytes, 1)));
  }
  SharedMemory* const raw = memory.get();
  const auto back = [owner = weak_from_this(), kept = std::move(memory)](SharedMemory*) mutable {
    if (const auto buffers = owner.lock()) buffers->give_back(std::move(kept));
  };
  return std::shared_ptr<SharedMemory>(raw, back);
}

void Buffers::give_back(std::shared_ptr<SharedMemory> memory) {
  const std::lock_guard lock(mutex_);
  if (free_.size() >= kMaxFree) return;
  const auto place =
      std::ranges::upper_bound(free_, memory->bytes(), {}, [](const auto& piece) { return piece->bytes(); });
  free_.insert(place, std::move(memory));
}

}  // namespace nnrt::nnapi
