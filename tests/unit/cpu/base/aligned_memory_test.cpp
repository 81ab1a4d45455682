#include "backends/cpu/base/aligned_memory.h"

#include "tests/support/sanitized.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

namespace nnrt::cpu {
namespace {

TEST(AlignedMemory, IsAlignedAndWritable) {
  for (const size_t bytes :
       {size_t{1}, size_t{1000}, kHugePageBytes - 1, kHugePageBytes, 5 * kHugePageBytes / 2}) {
    for (const bool is_kept : {false, true}) {
      const auto memory = is_kept ? AlignedMemory::allocate_kept(bytes) : AlignedMemory::allocate(bytes);
      ASSERT_TRUE(memory.ok());
      EXPECT_GE(memory.value().bytes(), bytes);
      const size_t alignment = is_kept && bytes >= kHugePageBytes ? kHugePageBytes : kMemoryAlignment;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.value().data()) % alignment, 0u) << bytes;
      std::memset(memory.value().data(), 1, bytes);
    }
  }
}

TEST(AlignedMemory, ReportsOutOfMemory) {
  if (test::kSanitized) GTEST_SKIP() << "AddressSanitizer ends the process instead.";
  for (const size_t bytes :
       {std::numeric_limits<size_t>::max() / 4, std::numeric_limits<size_t>::max() - 1}) {
    for (const bool is_kept : {false, true}) {
      const auto memory = is_kept ? AlignedMemory::allocate_kept(bytes) : AlignedMemory::allocate(bytes);
      ASSERT_FALSE(memory.ok());
      EXPECT_EQ(memory.error().code, Code::memory);
    }
    EXPECT_THROW(allocate_kept_or_throw(bytes), std::bad_alloc);
  }
}

}  // namespace
}  // namespace nnrt::cpu
