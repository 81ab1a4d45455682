#include "core/memory/lending_buffer.h"

#include "core/memory/pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace nnrt {
namespace {

constexpr size_t kPages = 1024;  // two huge pages

// A buffer with a nonzero byte everywhere.
LendingBuffer filled_buffer(size_t bytes = kPages * kPageBytes) {
  LendingBuffer buffer(bytes);
  std::memset(buffer.bytes().data(), 1, bytes);
  return buffer;
}

size_t resident_pages(const std::byte* first, size_t pages = kPages) {
  std::vector<unsigned char> resident(pages);
  EXPECT_EQ(mincore(const_cast<std::byte*>(first), pages * kPageBytes, resident.data()), 0);
  size_t count = 0;
  for (const unsigned char page : resident) count += page & 1;
  return count;
}

bool is_filled(ByteView bytes) {
  for (const std::byte byte : bytes)
    if (byte != std::byte{1}) return false;
  return true;
}

TEST(Pages, AreAlignedForTheirSize) {
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{64}, kPageBytes - 1, kPageBytes, kHugePageBytes - 1,
                             kHugePageBytes, kHugePageBytes + 1, 3 * kHugePageBytes}) {
    const Pages pages = allocate_pages(bytes);
    const size_t alignment = bytes < kPageBytes ? 64 : bytes < kHugePageBytes ? kPageBytes : kHugePageBytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pages.get()) % alignment, 0u) << bytes;
    std::memset(pages.get(), 1, bytes);
  }
}

TEST(Pages, TooManyThrow) { EXPECT_THROW(allocate_pages(SIZE_MAX - kPageBytes), std::bad_alloc); }

TEST(Pages, OnlyCompleteOnesAreDiscarded) {
  const Pages pages = allocate_pages(4 * kPageBytes);
  std::memset(pages.get(), 1, 4 * kPageBytes);
  discard_pages({pages.get() + 1, 3 * kPageBytes});  // pages 1 and 2
  EXPECT_TRUE(is_filled({pages.get(), kPageBytes}));
  EXPECT_EQ(pages.get()[kPageBytes], std::byte{0});
  EXPECT_EQ(pages.get()[3 * kPageBytes - 1], std::byte{0});
  EXPECT_TRUE(is_filled({pages.get() + 3 * kPageBytes, kPageBytes}));
  discard_pages({pages.get() + 1, kPageBytes});  // no complete page
  EXPECT_TRUE(is_filled({pages.get(), kPageBytes}));
}

TEST(LendingBuffer, PagesLiveAsLongAsTheirParts) {
  std::optional<LendingBuffer> buffer(filled_buffer());
  const std::byte* const data = buffer->bytes().data();
  SharedBytes first = buffer->lend({data, 10 * kPageBytes});
  SharedBytes second = buffer->lend({data + 20 * kPageBytes, 10 * kPageBytes});
  EXPECT_EQ(resident_pages(data), kPages);
  buffer.reset();
  EXPECT_EQ(resident_pages(data), 20u);
  EXPECT_TRUE(is_filled(*first));
  first = {};
  EXPECT_EQ(resident_pages(data), 10u);
  EXPECT_TRUE(is_filled(*second));
}

TEST(LendingBuffer, KeepsSharedPagesAlive) {
  std::optional<LendingBuffer> buffer(filled_buffer());
  const std::byte* const data = buffer->bytes().data();
  const size_t middle = 3 * kPageBytes + 100;
  SharedBytes first = buffer->lend({data, middle});
  SharedBytes second = buffer->lend({data + middle, kPageBytes});
  SharedBytes inside_second = buffer->lend({data + middle + 8, 8});
  buffer.reset();
  EXPECT_EQ(resident_pages(data), 5u);
  first = {};
  EXPECT_EQ(resident_pages(data), 2u);
  EXPECT_TRUE(is_filled(*second));
  second = {};
  EXPECT_EQ(resident_pages(data), 1u);
  EXPECT_TRUE(is_filled(*inside_second));
}

// A reader may look at a part again as long as it has the buffer.
TEST(LendingBuffer, KeepsReleasedPartsWhileItExists) {
  const LendingBuffer buffer = filled_buffer();
  buffer.lend(buffer.bytes());
  EXPECT_TRUE(is_filled(buffer.bytes()));
  EXPECT_TRUE(is_filled(*buffer.lend(buffer.bytes())));
}

TEST(LendingBuffer, LendsEmptyPartsAndSmallBuffers) {
  std::optional<LendingBuffer> buffer(filled_buffer(100));
  const SharedBytes part = buffer->lend(buffer->bytes().subspan(90));
  const SharedBytes none = buffer->lend(buffer->bytes().subspan(100));
  buffer->lend(buffer->bytes().first(50));
  buffer.reset();
  EXPECT_TRUE(is_filled(*part));
  EXPECT_TRUE(none);
  EXPECT_EQ(none->size(), 0u);
}

}  // namespace
}  // namespace nnrt
