// BOX_WITH_NMS_LIMIT: the boxes left in each image and class after non-maximum suppression.
#pragma once

#include "core/schema/boxes/box.h"

namespace nnrt {

struct LimitedBox {
  size_t row = 0;  // index in the inputs
  int32_t label = 0, batch_index = 0;
  float score = 0;
};

// By image, then class ascending, then score descending. Inputs must be known.
Result<std::vector<LimitedBox>> limited_boxes(const NodeView& node);

}  // namespace nnrt
