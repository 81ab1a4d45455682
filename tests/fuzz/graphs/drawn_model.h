// Models chosen by bytes: valid connected nodes, and edits that may invalidate them.
#pragma once

#include "tests/fuzz/api_model.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"

namespace nnrt::test {

struct DrawnModel {
  ApiModel model;
  // The tolerance of each output between devices; none if rounding decides what happens next, or if inputs
  // are not ordinary numbers.
  std::optional<std::vector<Tolerance>> tolerances{};
};

DrawnModel draw_model(Random& random);

}  // namespace nnrt::test
