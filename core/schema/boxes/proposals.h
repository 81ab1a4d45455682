// GENERATE_PROPOSALS: the best-scored anchors, moved by deltas.
#pragma once

#include "core/schema/boxes/box.h"

namespace nnrt {

struct Proposal {
  CornerBox box;
  float score = 0;
  int32_t batch_index = 0;
};

// By image, then score descending. Inputs must be known.
Result<std::vector<Proposal>> proposals(const NodeView& node);

}  // namespace nnrt
