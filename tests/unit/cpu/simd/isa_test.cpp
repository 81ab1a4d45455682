#include "backends/cpu/simd/isa.h"

#include "backends/cpu/simd/simd.h"
#include "core/base/text.h"
#include "core/platform/settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>

namespace nnrt::cpu {
namespace {

TEST(Isa, FollowsSetting) {
  const char* const asked = std::getenv("NNRT_TEST_CPU_ISA");
  if (asked == nullptr || *asked == '\0')
    GTEST_SKIP() << "the environment asks for none: all tests run with the best there is";
  const auto* const found = std::ranges::find(kIsaNames, std::string_view(asked));
  ASSERT_NE(found, std::end(kIsaNames)) << asked;
  const auto isa = Isa(found - std::begin(kIsaNames));
  if (!has_isa(isa)) GTEST_SKIP() << "this processor has no " << asked << ": all tests run with less";
  for (Isa more = Isa(int(isa) + 1); more <= Isa::dotprod; more = Isa(int(more) + 1))
    EXPECT_FALSE(has_isa(more)) << kIsaNames[int(more)];
}

TEST(Isa, NamesMatchTheSetting) {
  EXPECT_TRUE(std::ranges::equal(kIsaNames, list_entries(row(Setting::cpu_isa).words, ' ')));
}

TEST(Isa, HasNoMoreThanALimitAllows) {
  const bool has_avx2 = has_isa(Isa::avx2);
  {
    const IsaLimit limit(Isa::baseline);
    EXPECT_TRUE(has_isa(Isa::baseline));
    EXPECT_FALSE(has_isa(Isa::avx2));
    EXPECT_EQ(vector_bytes(), 16);
    const IsaLimit wider(Isa::avx2);  // nested
    EXPECT_FALSE(has_isa(Isa::avx2));
  }
  EXPECT_EQ(has_isa(Isa::avx2), has_avx2);
}

TEST(Isa, ReportsVectorLengthsAndInt8Dots) {
  const IsaLimit limit(Isa::avx512);
  EXPECT_FALSE(has_int8_dot());
  EXPECT_FALSE(has_amx());
  EXPECT_EQ(vector_bytes(), has_isa(Isa::avx512) ? 64 : has_isa(Isa::avx2) ? 32 : 16);
}

}  // namespace
}  // namespace nnrt::cpu
