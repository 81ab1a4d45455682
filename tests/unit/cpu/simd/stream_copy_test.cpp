#include "backends/cpu/simd/stream_copy.h"

#include <gtest/gtest.h>

#include <vector>

namespace nnrt::cpu {
namespace {

TEST(StreamCopy, CopiesEveryLengthAtEveryAlignment) {
  constexpr size_t kMargin = 64, kLongest = 200;
  std::vector<std::byte> from(kLongest + kMargin);
  for (size_t i = 0; i < from.size(); ++i) from[i] = std::byte(i + 1);
  for (size_t at = 0; at < kMargin; at += 5) {
    for (size_t bytes = 0; bytes <= kLongest; ++bytes) {
      std::vector<std::byte> to(kLongest + 2 * kMargin), expected = to;
      stream_copy(from.data() + at / 2, bytes, to.data() + at);
      finish_stream_copies();
      std::copy_n(from.begin() + std::ptrdiff_t(at / 2), bytes, expected.begin() + std::ptrdiff_t(at));
      ASSERT_EQ(to, expected) << bytes << " bytes to " << at;
    }
  }
}

}  // namespace
}  // namespace nnrt::cpu
