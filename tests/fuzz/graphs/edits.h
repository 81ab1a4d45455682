// Edits of a model that may make it invalid.
#pragma once

#include "tests/fuzz/api_model.h"
#include "tests/support/random/random.h"

namespace nnrt::test {

// Makes one edit. Returns false if devices may disagree on the values afterwards (infinite or meaningless
// ones).
bool edit(ApiModel& model, Random& random);

}  // namespace nnrt::test
