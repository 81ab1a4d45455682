#include "mindspore/reader/mapped_memory.h"

#include "tests/mindspore/fenced_bytes.h"

#include <gtest/gtest.h>

#include <memory>

namespace nnrt::mindspore {
namespace {

uintptr_t address(const void* place) { return reinterpret_cast<uintptr_t>(place); }

TEST(MappedMemory, ContainsReadableMemory) {
  const auto on_heap = std::make_unique<int>(1);
  const int on_stack = 2;
  static const int in_library = 3;
  const MappedMemory memory;
  for (const int* const place : {static_cast<const int*>(on_heap.get()), &on_stack, &in_library})
    EXPECT_TRUE(memory.contains(address(place), sizeof *place));
  EXPECT_FALSE(memory.contains(0, 1));
  EXPECT_FALSE(memory.contains(1, 1));
  EXPECT_FALSE(memory.contains(address(on_heap.get()), ~size_t{0}));
}

TEST(MappedMemory, EndsAtGuardPage) {
  const size_t page = size_t(getpagesize());
  const nnrt::test::FencedBytes bytes{Bytes(page)};
  const MappedMemory memory;
  const uintptr_t begin = address(bytes.get().data());
  EXPECT_TRUE(memory.contains(begin, page));
  EXPECT_FALSE(memory.contains(begin, page + 1));
  EXPECT_FALSE(memory.contains(begin - 1, 1));
  EXPECT_FALSE(memory.contains(begin + page, 1));
  EXPECT_TRUE(memory.contains(begin | uintptr_t{0xb4} << 56, page)) << "a tag of Android";
}

}  // namespace
}  // namespace nnrt::mindspore
