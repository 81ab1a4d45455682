#include "tools/nnrt/statistics.h"

#include "tools/nnrt/report.h"
#include "tools/nnrt/table.h"

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

Array floats(std::initializer_list<double> values) {
  Array array = make_array(OH_NN_FLOAT32, {static_cast<int32_t>(values.size())}).value();
  size_t i = 0;
  for (const double value : values) array.set(i++, value);
  return array;
}

TEST(Compare, TellsTheLargestDifferenceAndItsPlace) {
  const Difference difference = compare(floats({1, 2, 4}), floats({1, 2.5, 4})).value();
  EXPECT_DOUBLE_EQ(difference.largest, 0.5);
  EXPECT_DOUBLE_EQ(difference.largest_relative, 0.2);
  EXPECT_EQ(difference.index, 1u);
}

TEST(Compare, NanMatchesOnlyNan) {
  EXPECT_EQ(compare(floats({NAN, INFINITY, 1}), floats({NAN, INFINITY, 1})).value().mismatches, 0u);
  EXPECT_EQ(compare(floats({NAN, INFINITY, 1}), floats({0, -INFINITY, NAN})).value().mismatches, 3u);
}

TEST(Compare, RefusesOtherShapes) { EXPECT_FALSE(compare(floats({1}), floats({1, 2})).ok()); }

}  // namespace
}  // namespace nnrt::tool
