// Changes to a model, by which it may stop making sense.
#pragma once

#include "tests/fuzz/api_model.h"
#include "tests/support/random/random.h"

namespace nnrt::test {

// Changes something. False where numbers may be none that devices agree on afterwards: infinite, or of no
// meaning.
bool edit(ApiModel& model, Random& random);

}  // namespace nnrt::test
