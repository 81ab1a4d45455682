#include "backends/cpu/simd/summed_bytes.h"

#include "backends/cpu/simd/isa.h"

#include <gtest/gtest.h>

#include <vector>

namespace nnrt::cpu {
namespace {

TEST(SummedBytes, AreExactOnLesserProcessors) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    const IsaLimit limit(isa);
    for (const int step : {0, 37}) {
      // Memory ends where the values do, so that sanitizers find reads beyond them.
      for (int64_t count = 0; count < 200; ++count) {
        std::vector<int8_t> values;
        int32_t want = 0;
        for (int64_t i = 0; i < count; ++i) {
          values.push_back(int8_t(-128 + i * step % 256));
          want += values.back();
        }
        EXPECT_EQ(sum_bytes(values.data(), count), want) << count;
      }
    }
    const std::vector<int8_t> many(size_t{1} << 24, -128);
    EXPECT_EQ(sum_bytes(many.data(), int64_t(many.size())), -(1 << 24) * 128);
  }
}

}  // namespace
}  // namespace nnrt::cpu
