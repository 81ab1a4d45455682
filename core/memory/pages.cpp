#include "core/memory/pages.h"

#include "core/base/divide_up.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

namespace nnrt {
namespace {

constexpr size_t kSmallAlignment = 64;

// malloc would give memory of this size only 4 KiB alignment, and keep it when it is freed.
std::byte* map_huge(size_t bytes) {
  const size_t size = round_up(bytes, kPageBytes), reserved = size + kHugePageBytes - kPageBytes;
  if (size < bytes || reserved < size) throw std::bad_alloc();
  void* const mapped = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const start = static_cast<std::byte*>(mapped);
  const auto address = reinterpret_cast<uintptr_t>(start);
  const size_t before = round_up(address, kHugePageBytes) - address, after = reserved - before - size;
  if (before > 0) munmap(start, before);
  if (after > 0) munmap(start + before + size, after);
  // Falls back to regular pages if there are no huge ones.
  static_cast<void>(madvise(start + before, size, MADV_HUGEPAGE));
  return start + before;
}

size_t small_alignment(size_t bytes) { return bytes < kPageBytes ? kSmallAlignment : kPageBytes; }

}  // namespace

void FreePages::operator()(std::byte* data) const noexcept {
  if (bytes >= kHugePageBytes) {
    munmap(data, round_up(bytes, kPageBytes));
  } else {
    ::operator delete (data, std::align_val_t{small_alignment(bytes)});
  }
}

Pages allocate_pages(size_t bytes) {
  if (bytes >= kHugePageBytes) return {map_huge(bytes), {bytes}};
  const size_t alignment = small_alignment(bytes), size = round_up(std::max<size_t>(bytes, 1), alignment);
  return {static_cast<std::byte*>(::operator new (size, std::align_val_t{alignment})), {bytes}};
}

SharedBytes shared(Pages pages) {
  const ByteView view(pages.get(), pages.get_deleter().bytes);
  return {std::shared_ptr<const std::byte>(std::move(pages)), view};
}

SharedBytes copy_in_pages(ByteView bytes) {
  Pages pages = allocate_pages(bytes.size());
  std::ranges::copy(bytes, pages.get());
  return shared(std::move(pages));
}

void discard_pages(std::span<std::byte> part) noexcept {
  const auto begin = reinterpret_cast<uintptr_t>(part.data()), end = begin + part.size();
  const size_t skipped = round_up(begin, kPageBytes) - begin;
  const uintptr_t last = end / kPageBytes * kPageBytes;
  if (begin + skipped < last)
    static_cast<void>(madvise(part.data() + skipped, last - begin - skipped, MADV_DONTNEED));
}

}  // namespace nnrt
