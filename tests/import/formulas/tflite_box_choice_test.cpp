// NON_MAX_SUPPRESSION_V4 and V5, whose output size is fixed by the file.
#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

using Numbers = std::vector<double>;

// Boxes 0 and 1 overlap by 1/3, boxes 2 and 3 are identical, and box 4 is separate.
const Operand kBoxes = floats({5, 4}, {0, 0, 2, 2, 0, 1, 2, 3, 5, 5, 7, 7, 7, 7, 5, 5, 9, 9, 10, 10});
const Operand kScores = floats({5}, {0.5, 0.75, 0.25, 0.25, -1});

struct Wanted {
  Numbers indices, scores;
  double count;
};

void check(double max, double overlap, double score, const Wanted& wanted) {
  const auto size = static_cast<int32_t>(max);
  const Operand indices = ints({size}, {}), scores = floats({size}, {}), count = ints({}, {});
  const std::vector<Operand> operands{kBoxes, kScores, constant(ints({}, {max})),
                                      constant(floats({}, {overlap})), constant(floats({}, {score}))};
  const auto fourth =
      run(one_operator(NON_MAX_SUPPRESSION_V4, {}, operands, {indices, count}), operands, {indices, count});
  ASSERT_EQ(fourth.size(), 2u);
  EXPECT_EQ(fourth[0], wanted.indices);
  EXPECT_EQ(fourth[1], Numbers{wanted.count});
  std::vector<Operand> more = operands;
  more.push_back(constant(floats({}, {0})));
  const auto fifth = run(one_operator(NON_MAX_SUPPRESSION_V5, {}, more, {indices, scores, count}), more,
                         {indices, scores, count});
  ASSERT_EQ(fifth.size(), 3u);
  EXPECT_EQ(fifth[0], wanted.indices);
  EXPECT_EQ(fifth[1], wanted.scores);
  EXPECT_EQ(fifth[2], Numbers{wanted.count});
}

}  // namespace

TEST(TfliteBoxChoice, FillsUpWithZeros) {
  check(6, 0.5, -9, {{1, 0, 2, 4, 0, 0}, {0.75, 0.5, 0.25, -1, 0, 0}, 4});
  check(4, 0.5, 0, {{1, 0, 2, 0}, {0.75, 0.5, 0.25, 0}, 3});
}

TEST(TfliteBoxChoice, StopsAtMaxOutputs) {
  check(2, 0.5, -9, {{1, 0}, {0.75, 0.5}, 2});
  check(1, 0.5, -9, {{1}, {0.75}, 1});
}

TEST(TfliteBoxChoice, AnOverlapOfTheThresholdIsTooMuch) {
  check(4, 1.0f, -9, {{1, 0, 2, 4}, {0.75, 0.5, 0.25, -1}, 4});
  check(4, 1.0f / 3, -9, {{1, 2, 4, 0}, {0.75, 0.25, -1, 0}, 3});
  check(4, 0, -9, {{1, 0, 0, 0}, {0.75, 0, 0, 0}, 1});
}

TEST(TfliteBoxChoice, NoBoxMayBeLeft) { check(3, 0.5, 0.9, {{0, 0, 0}, {0, 0, 0}, 0}); }

TEST(TfliteBoxChoice, RejectsSoftNms) {
  const Operand number = constant(floats({}, {0.5}));
  EXPECT_EQ(refusal(one_operator(NON_MAX_SUPPRESSION_V5, {},
                                 {kBoxes, kScores, constant(ints({}, {3})), number, number, number},
                                 {ints({3}, {}), floats({3}, {}), ints({}, {})})),
            "NON_MAX_SUPPRESSION_V5 (operator 0) uses soft suppression (sigma 0.500000).");
}

}  // namespace nnrt::test
