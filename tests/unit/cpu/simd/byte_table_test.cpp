#include "backends/cpu/simd/byte_table.h"

#include "backends/cpu/simd/isa.h"

#include <gtest/gtest.h>

#include <vector>

namespace nnrt::cpu {
namespace {

void expect_mapped(int64_t count) {
  ByteTable table;
  for (size_t i = 0; i < table.size(); ++i) table[i] = uint8_t(i * 167 + 13);
  std::vector<uint8_t> from, want;
  for (int64_t i = 0; i < count; ++i) {
    from.push_back(uint8_t(i * 91 + i / 256));
    want.push_back(table[from.back()]);
  }
  std::vector<uint8_t> to(size_t(count) + 1, 77);
  map_bytes(table, from.data(), to.data(), count);
  EXPECT_EQ(to.back(), 77) << "written beyond the end";
  to.pop_back();
  EXPECT_EQ(to, want) << count;
  map_bytes(table, from.data(), from.data(), count);
  EXPECT_EQ(from, want) << "in place, " << count;
}

TEST(ByteTable, MapsAnyNumberOfBytes) {
  for (int64_t count = 0; count < 200; ++count) expect_mapped(count);
  expect_mapped(100000);
}

TEST(ByteTable, MapsWithoutPermutations) {
  const IsaLimit limit(Isa::avx2);
  expect_mapped(1000);
}

}  // namespace
}  // namespace nnrt::cpu
