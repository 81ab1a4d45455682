#include "backends/cpu/gemm/int8_microkernel.h"
#include "backends/cpu/simd/simd.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace nnrt::cpu {
namespace {

// Rows of which each is a window of `values` bytes of every tap's line, `step` bytes after the row before.
struct Windows {
  int64_t taps, values, step;
  int rows = kInt8BlockRows;
};

std::vector<int32_t> sums_of(const Windows& windows, const std::vector<const int8_t*>& parts) {
  std::vector<int32_t> sums(size_t(windows.rows), 77);
  sum_int8_rows({parts.data(), windows.rows, windows.taps, windows.values, windows.rows}, sums.data());
  return sums;
}
std::vector<int32_t> expected_sums(const Windows& windows, const std::vector<const int8_t*>& parts) {
  std::vector<int32_t> sums(size_t(windows.rows), 0);
  for (size_t i = 0; i < parts.size(); ++i)
    sums[i % sums.size()] = std::accumulate(parts[i], parts[i] + windows.values, sums[i % sums.size()]);
  return sums;
}

TEST(Int8RowSums, AddWindowsOfLines) {
  if (!has_int8_dot()) GTEST_SKIP() << "The kernels need INT8 dot products.";
  // The last windows end at byte 63, 64 or 65, start at one byte, overlap, or leave bytes out.
  for (const Windows& windows :
       {Windows{7, 21, 6}, {2, 57, 1}, {3, 58, 1}, {2, 1, 9}, {2, 2, 9}, {5, 8, 0}, {9, 3, 5, 3}}) {
    for (const int64_t taps : {windows.taps, int64_t{255}, int64_t{257}}) {
      Windows all = windows;
      all.taps = taps;
      const int64_t line = (all.rows - 1) * all.step + all.values;
      std::vector<int8_t> bytes(size_t(line * taps), -128);  // the largest sums
      for (const bool varies : {false, true}) {
        for (size_t i = 0; varies && i < bytes.size(); ++i) bytes[i] = int8_t(i * 89 % 251);
        std::vector<const int8_t*> parts;
        for (int64_t tap = 0; tap < taps; ++tap)
          for (int r = 0; r < all.rows; ++r) parts.push_back(bytes.data() + tap * line + r * all.step);
        EXPECT_EQ(sums_of(all, parts), expected_sums(all, parts)) << all.values << ' ' << taps;
        // A row elsewhere, as in padding.
        parts.back() = bytes.data();
        EXPECT_EQ(sums_of(all, parts), expected_sums(all, parts)) << all.values << ' ' << taps;
      }
    }
  }
}

}  // namespace
}  // namespace nnrt::cpu
