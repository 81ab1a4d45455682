// Files with a recurrent operator over three steps.
#pragma once

#include "tests/import/tflite_writer.h"

namespace nnrt::test {

inline const std::vector<double> kSteps{1, -0.5, 2};

struct RecurrentModel {
  Bytes file;
  Operand input, result;
};

inline void check_one_way(const RecurrentModel& made) {
  check_run(made.file, {made.input}, {made.result}, {}, 1e-5);
}

}  // namespace nnrt::test
