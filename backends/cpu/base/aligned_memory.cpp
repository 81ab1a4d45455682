#include "backends/cpu/base/aligned_memory.h"

#include "core/base/divide_up.h"
#include "core/base/text.h"

#include <algorithm>
#include <new>

namespace nnrt::cpu {
namespace {

Error no_memory(size_t bytes) { return {Code::memory, cat("There is no memory for ", bytes, " bytes.")}; }

}  // namespace

Result<AlignedMemory> AlignedMemory::allocate(size_t bytes) {
  // std::aligned_alloc requires a multiple of the alignment.
  const size_t rounded = round_up(bytes, kMemoryAlignment);
  AlignedMemory memory;
  if (rounded >= bytes)
    memory.data_.reset(static_cast<std::byte*>(std::aligned_alloc(kMemoryAlignment, rounded)));
  if (!memory.data_) return no_memory(bytes);
  memory.bytes_ = rounded;
  return memory;
}

Result<AlignedMemory> AlignedMemory::allocate_kept(size_t bytes) {
  if (bytes < kHugePageBytes) return allocate(bytes);
  try {
    AlignedMemory memory;
    memory.data_ = std::unique_ptr<std::byte[], FreeAligned>(allocate_pages(bytes).release(), {bytes});
    memory.bytes_ = bytes;
    return memory;
  } catch (const std::bad_alloc&) {
    return no_memory(bytes);
  }
}

namespace {

AlignedMemory or_throw(Result<AlignedMemory> memory) {
  if (!memory.ok()) throw std::bad_alloc();
  return std::move(memory).value();
}

}  // namespace

AlignedMemory allocate_or_throw(size_t bytes) { return or_throw(AlignedMemory::allocate(bytes)); }
AlignedMemory allocate_kept_or_throw(size_t bytes) { return or_throw(AlignedMemory::allocate_kept(bytes)); }

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
