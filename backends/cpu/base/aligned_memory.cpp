#include "backends/cpu/base/aligned_memory.h"

#include "core/base/text.h"

#include <algorithm>
#include <new>

namespace nnrt::cpu {

Result<AlignedMemory> AlignedMemory::allocate(size_t bytes) {
  // std::aligned_alloc requires a multiple of the alignment.
  const size_t rounded = (bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
  AlignedMemory memory;
  if (rounded >= bytes)
    memory.data_.reset(static_cast<std::byte*>(std::aligned_alloc(kMemoryAlignment, rounded)));
  if (!memory.data_) return Error{Code::memory, cat("There is no memory for ", bytes, " bytes.")};
  memory.bytes_ = rounded;
  return memory;
}

AlignedMemory allocate_or_throw(size_t bytes) {
  Result<AlignedMemory> memory = AlignedMemory::allocate(bytes);
  if (!memory.ok()) throw std::bad_alloc();
  return std::move(memory).value();
}

Result<AlignedMemory> MemoryPool::acquire(size_t bytes) {
  constexpr size_t kMaxWaste = 4;
  const auto fit = std::find_if(free_.begin(), free_.end(),
                                [=](const AlignedMemory& block) { return block.bytes() >= bytes; });
  if (fit == free_.end() || fit->bytes() / kMaxWaste > bytes) return AlignedMemory::allocate(bytes);
  AlignedMemory block = std::move(*fit);
  free_.erase(fit);
  return block;
}

void MemoryPool::release(AlignedMemory block) {
  constexpr size_t kMaxBlocks = 16;
  const auto place = std::find_if(free_.begin(), free_.end(),
                                  [&](const AlignedMemory& other) { return other.bytes() >= block.bytes(); });
  free_.insert(place, std::move(block));
  if (free_.size() > kMaxBlocks) free_.erase(free_.begin());
}

}  // namespace nnrt::cpu
