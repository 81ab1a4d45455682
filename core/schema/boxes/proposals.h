// GENERATE_PROPOSALS: anchors, moved by deltas, where they score best.
#pragma once

#include "core/schema/boxes/box.h"

namespace nnrt {

struct Proposal {
  CornerBox box;
  float score = 0;
  int32_t picture = 0;
};

// Picture by picture, scores descending. The inputs are known.
Result<std::vector<Proposal>> proposals(const NodeView& node);

}  // namespace nnrt
