#include "tools/nnrt/data/difference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nnrt::tool {
namespace {

Array floats(std::initializer_list<double> values) {
  Array array = make_array(OH_NN_FLOAT32, {static_cast<int32_t>(values.size())}).value();
  size_t i = 0;
  for (const double value : values) array.set(i++, value);
  return array;
}

OutputDifference compared(const std::string& name, const Array& got, const Array& want, double tolerance) {
  return {name, got.shape, compare(got, want).value(), tolerance};
}

TEST(Compare, ReportsLargestDifference) {
  const Difference difference = compare(floats({1, 2, 4}), floats({1, 2.5, 4})).value();
  EXPECT_DOUBLE_EQ(difference.largest, 0.5);
  EXPECT_DOUBLE_EQ(difference.largest_relative, 0.2);
  EXPECT_EQ(difference.index, 1u);
  EXPECT_DOUBLE_EQ(difference.magnitude, 4);
}

TEST(Compare, TellsTheCosine) {
  EXPECT_DOUBLE_EQ(compare(floats({1, 2}), floats({2, 4})).value().cosine, 1);
  EXPECT_DOUBLE_EQ(compare(floats({1, 0}), floats({0, 3})).value().cosine, 0);
  EXPECT_DOUBLE_EQ(compare(floats({1, 1, NAN}), floats({-1, -1, 5})).value().cosine, -1);
  EXPECT_DOUBLE_EQ(compare(floats({0, 0}), floats({0, 0})).value().cosine, 1);
  EXPECT_DOUBLE_EQ(compare(floats({0, 0}), floats({0, 1})).value().cosine, 0);
}

TEST(Compare, NanMatchesOnlyNan) {
  EXPECT_EQ(compare(floats({NAN, INFINITY, 1}), floats({NAN, INFINITY, 1})).value().mismatches, 0u);
  EXPECT_EQ(compare(floats({NAN, INFINITY, 1}), floats({0, -INFINITY, NAN})).value().mismatches, 3u);
}

TEST(Compare, NonFiniteDifferencesAreInfinite) {
  const Difference difference = compare(floats({1, 9, NAN, 3}), floats({1, 2, 5, 3})).value();
  EXPECT_EQ(difference.largest, INFINITY);
  EXPECT_EQ(difference.index, 2u);
  EXPECT_EQ(difference.want, 5);
  EXPECT_EQ(difference.magnitude, 5);
  EXPECT_DOUBLE_EQ(difference.mean, 7.0 / 3) << "Of the finite ones.";
}

TEST(Compare, NothingFiniteHasNoMeanOrCosine) {
  const Difference difference = compare(floats({1, NAN}), floats({NAN, 2})).value();
  EXPECT_TRUE(std::isnan(difference.mean) && std::isnan(difference.cosine));
  const Difference same = compare(floats({NAN, NAN}), floats({NAN, NAN})).value();
  EXPECT_EQ(same.mean, 0);
  EXPECT_EQ(same.cosine, 1);
}

TEST(Compare, RefusesOtherShapes) { EXPECT_FALSE(compare(floats({1}), floats({1, 2})).ok()); }

TEST(DefaultTolerance, IsRelativeForFloatsAndInStepsForBytes) {
  EXPECT_DOUBLE_EQ(default_tolerance(OH_NN_FLOAT32, 20, {}), 0.02);
  EXPECT_DOUBLE_EQ(default_tolerance(OH_NN_FLOAT32, 20, {true, 0, 0}), 0.4);
  EXPECT_DOUBLE_EQ(default_tolerance(OH_NN_FLOAT16, 20, {}), 0.4);
  EXPECT_DOUBLE_EQ(default_tolerance(OH_NN_FLOAT32, 0, {}), 1e-5);
  EXPECT_EQ(default_tolerance(OH_NN_UINT8, 255, {}), 2);
  for (const auto type : {OH_NN_INT32, OH_NN_INT64, OH_NN_BOOL})
    EXPECT_EQ(default_tolerance(type, 20, {true, 3, 0}), 0);
}

TEST(DefaultTolerance, FollowsQuantizedValuesBeforeTheOutput) {
  EXPECT_EQ(default_tolerance(OH_NN_INT8, 127, {false, 4, 0}), 4);
  EXPECT_DOUBLE_EQ(default_tolerance(OH_NN_FLOAT32, 1, {false, 2, 0.25}), 0.5);
  EXPECT_DOUBLE_EQ(default_tolerance(OH_NN_FLOAT32, 255, {false, 2, 0}), 2);
}

TEST(Verdict, IsEmptyWithinTheTolerance) {
  EXPECT_EQ(verdict(std::vector{compared("y", floats({1, 2}), floats({1, 2.5}), 0.5)}, "A", "on B"), "");
  EXPECT_EQ(verdict(std::vector{compared("y", floats({NAN}), floats({NAN}), 0)}, "A", "on B"), "");
}

TEST(Verdict, NamesWorstOutput) {
  const std::vector outputs{compared("far", floats({100, 0}), floats({0, 0}), 50),
                            compared("near", floats({1, 2}), floats({1, 2.5}), 0.125),
                            compared("same", floats({3}), floats({3}), 0)};
  EXPECT_EQ(
      verdict(outputs, "A", "on B"),
      "The results differ in 2 of 3 outputs, most in 'near', which is 2 on A and 2.5 on B at [1]: by 0.5, "
      "and 0.125 is tolerated.");
}

TEST(Verdict, CountsNonFiniteMismatches) {
  const std::vector outputs{compared("y", floats({1, NAN, INFINITY}), floats({1, 2, 3}), 1e9)};
  EXPECT_EQ(verdict(outputs, "A", "on B"),
            "The results differ in 1 of 1 output, most in 'y', which is nan on A and 2 on B at [1] (2 "
            "non-finite elements differ).");
}

}  // namespace
}  // namespace nnrt::tool
