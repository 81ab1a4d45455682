// Boxes of NNAPI's detection operators: two corners, x first. Shape inference counts the boxes that an
// operator selects; its kernel writes them.
#pragma once

#include "core/schema/node_view.h"

#include <optional>
#include <span>
#include <vector>

namespace nnrt {

struct CornerBox {
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;

  float width() const { return x2 - x1; }
  float height() const { return y2 - y1; }
  float area() const { return width() * height(); }
};

// Box `index` of a list.
CornerBox box_at(std::span<const float> boxes, size_t index);
// Fails for an inverted box: x1 above x2, or y1 above y2.
Status check_box(const CornerBox& box, size_t index);

// Intersection over union; 0 if the union is empty.
float overlap(const CornerBox& a, const CornerBox& b);

struct ImageSize {
  float height = 0, width = 0;
};
// Moves and scales the box by dx, dy, dw and dh, and clips it to the image.
CornerBox transformed(const CornerBox& box, std::span<const float, 4> delta, ImageSize image);

// A float16, float32 or quantized INT8 input as floats. Its contents must be known.
std::vector<float> floats_of(const NodeView& node, size_t input);

// Returns whether contents and shapes of inputs [0, count) are known.
bool are_known(const NodeView& node, size_t count);

// The number of output rows for `count` boxes: if there are none, one row of zeros if Attr::empty_row is set,
// otherwise an error.
Result<int64_t> row_count(const NodeView& node, size_t count);

}  // namespace nnrt
