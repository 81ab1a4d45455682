// Boxes of NNAPI's detection operators: two corners, x first. Inference counts what an operator selects by
// them, and its kernel writes it.
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
// Fails for a box that is turned over: x1 above x2, or y1 above y2.
Status check_box(const CornerBox& box, size_t index);

// Intersection over union; 0 where the union is nothing.
float overlap(const CornerBox& a, const CornerBox& b);

struct PictureSize {
  float height = 0, width = 0;
};
// Moves and scales the box by dx, dy, dw and dh, and clips it to the picture.
CornerBox transformed(const CornerBox& box, std::span<const float, 4> delta, PictureSize picture);

// The floats of a float16, float32 or quantized INT8 input, whose contents are known.
std::vector<float> floats_of(const NodeView& node, size_t input);

// Returns whether the contents and the shapes of inputs [0, count) are known.
bool are_known(const NodeView& node, size_t count);

// Returns the number of rows of the outputs that `count` found elements fill: one of zeros where there are
// none and Attr::empty_row allows that, else an error.
Result<int64_t> row_count(const NodeView& node, size_t count);

}  // namespace nnrt
