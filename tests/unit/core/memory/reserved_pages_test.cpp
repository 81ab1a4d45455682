#include "core/memory/reserved_pages.h"

#include "core/memory/pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace nnrt {
namespace {

struct Range {
  size_t bytes;
  ReservedPages pages;

  explicit Range(size_t size) : bytes(size), pages(size) {}
  bool fill(int value) {
    pages.set_used();
    if (mprotect(pages.data(), bytes, PROT_READ | PROT_WRITE) != 0) return false;
    std::memset(pages.data(), value, bytes);
    return true;
  }
  bool holds(int value) const {
    return std::all_of(pages.data(), pages.data() + bytes,
                       [&](std::byte it) { return it == std::byte(value); });
  }
};

// On every kernel, mprotect() takes the start of each range, and changes no other range.
TEST(ReservedPages, AreWholePagesOfTheSystem) {
  const auto page = size_t(sysconf(_SC_PAGESIZE));
  std::vector<std::unique_ptr<Range>> ranges;
  for (const size_t bytes : {size_t{1}, size_t{4097}, page, page + 1, kHugePageBytes - 1, kHugePageBytes}) {
    ranges.push_back(std::make_unique<Range>(bytes));
    const auto at = reinterpret_cast<uintptr_t>(ranges.back()->pages.data());
    EXPECT_EQ(at % (bytes < kHugePageBytes ? page : kHugePageBytes), 0u);
    ASSERT_TRUE(ranges.back()->fill(int(ranges.size()))) << bytes;
  }
  for (size_t i = 0; i < ranges.size(); ++i) EXPECT_TRUE(ranges[i]->holds(int(i + 1))) << i;
}

TEST(ReservedPages, AreReleasedOneByOne) {
  auto first = std::make_unique<Range>(5000), last = std::make_unique<Range>(5000);
  ASSERT_TRUE(first->fill(1) && last->fill(2));
  std::byte* const released = first->pages.data();
  first.reset();
  EXPECT_TRUE(last->holds(2));
  EXPECT_DEATH(*const_cast<volatile std::byte*>(released) = {}, "");
}

TEST(ReservedPages, TooManyThrow) { EXPECT_THROW(ReservedPages(SIZE_MAX - 1), std::bad_alloc); }

}  // namespace
}  // namespace nnrt
