#include "tools/nnrt/base/statistics.h"

#include "tools/nnrt/base/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace nnrt::tool {
namespace {

TEST(Percentile, LiesBetweenTheTwoNearestSamples) {
  EXPECT_DOUBLE_EQ(percentile({3, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(percentile({4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(percentile({5}, 0.99), 5);
  EXPECT_TRUE(std::isnan(percentile({}, 0.5)));
}

TEST(PeakMemory, IsKnownOnLinux) { EXPECT_GT(peak_memory(), size_t{1} << 20); }

TEST(Table, AlignsCharactersNotBytes) {
  Table table({{"name"}, {"n", Table::Align::right}});
  table.add({"\xc3\xa9t\xc3\xa9", "1"});
  table.add({"b", "22"});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(), "name   n\n\xc3\xa9t\xc3\xa9    1\nb     22\n");
}

TEST(Table, SizesAndTimesHaveFittingUnits) {
  EXPECT_EQ(byte_size(1023), "1023 B");
  EXPECT_EQ(byte_size(1536), "1.5 KiB");
  EXPECT_EQ(duration(0.5), "500.0 us");
  EXPECT_EQ(duration(12.345), "12.35 ms");
  EXPECT_EQ(duration(12345), "12.35 s");
}

}  // namespace
}  // namespace nnrt::tool
