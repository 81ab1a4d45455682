// Models that bytes choose: nodes that make sense, wired together, and changes to them that need make none.
#pragma once

#include "tests/fuzz/api_model.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"

namespace nnrt::test {

struct DrawnModel {
  ApiModel model;
  // The distance that each output may have from that of another device; none where rounding decides what
  // comes next, or numbers that are not ordinary go in.
  std::optional<std::vector<Tolerance>> tolerances{};
};

DrawnModel draw_model(Random& random);

}  // namespace nnrt::test
