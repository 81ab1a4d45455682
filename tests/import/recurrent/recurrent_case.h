// Files with a recurrent operator over three steps.
#pragma once

#include "tests/import/tflite_writer.h"

namespace nnrt::test {

inline const std::vector<double> kSteps{1, -0.5, 2};

struct RecurrentModel {
  Bytes file;
  Operand input, result;
};

inline void expect_near(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5) << "element " << i;
}

inline void check_one_way(const RecurrentModel& made) {
  const auto got = run(made.file, {made.input}, {made.result});
  ASSERT_EQ(got.size(), 1u);
  expect_near(got[0], made.result.values);
}

}  // namespace nnrt::test
