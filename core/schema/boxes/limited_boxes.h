// BOX_WITH_NMS_LIMIT: the boxes of each picture and class that are left when others cover them.
#pragma once

#include "core/schema/boxes/box.h"

namespace nnrt {

struct LimitedBox {
  size_t row = 0;  // index in the inputs
  int32_t label = 0, picture = 0;
  float score = 0;
};

// Picture by picture in their order, classes ascending, scores descending. The inputs are known.
Result<std::vector<LimitedBox>> limited_boxes(const NodeView& node);

}  // namespace nnrt
