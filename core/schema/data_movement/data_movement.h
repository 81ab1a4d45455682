// Evaluates the parameters of a movement operator: masks, negative axes, -1 sizes and defaults worked out
// once, for inference and for the copy regions. Dimensions may be -1; the value inputs must be known. A
// scalar counts as [1] where the operator wants a dimension (R6).
#pragma once

#include "core/schema/geometry.h"
#include "core/schema/node_view.h"

#include <array>
#include <limits>
#include <vector>

namespace nnrt::data_movement {

// RESHAPE, FLATTEN, SQUEEZE, UNSQUEEZE, EXPAND_DIMS: the same elements in this shape.
Result<Shape> reshaped(const NodeView& node);

// TRANSPOSE: the input's dimension for each of the output's.
Result<std::vector<size_t>> permutation(const NodeView& node);

// SLICE, STRIDED_SLICE, CROP: of each input dimension `count` elements from `begin` on in steps of `step`.
struct Slice {
  Shape input;
  std::vector<int64_t> begin, step;
  Shape count;
  Shape output;  // `count` with new dimensions and without shrunk ones
};
Result<Slice> slice(const NodeView& node);

// TILE, BROADCAST_TO: both of the output's rank; each output dimension is a multiple of the input's.
struct Repeat {
  Shape input, output;
};
Result<Repeat> repeat(const NodeView& node);

// CONCAT and STACK (parts become the whole), SPLIT and UNSTACK (the whole becomes parts). Parts of STACK and
// UNSTACK have length 1 at the axis here, which their tensors do not have.
struct ConcatSplit {
  Shape whole;
  size_t axis = 0;
  Shape sizes;

  Shape segment(size_t i) const;
};
Result<ConcatSplit> concat_split(const NodeView& node);

// DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND: an image, and the same with its
// blocks packed into depth or batch. `before` and `after` are cells around the image that only the packed
// tensor has: padding of the one, crops of the other.
struct Blocks {
  Layout layout;
  Shape image, packed;
  std::array<int64_t, 2> block{}, before{}, after{};
};
Result<Blocks> blocks(const NodeView& node);

// PAD, PAD_EDGE, PAD_WRAP.
enum class PadKind : uint8_t { constant, reflect, symmetric, edge, wrap };
struct Padding {
  Shape input, output;
  PadKind kind{};
  std::vector<int64_t> before, after;
};
Result<Padding> padding(const NodeView& node);

// Helpers that these functions share.
Shape at_least_1d(const Shape& shape);
Result<std::vector<int64_t>> known_list(const NodeView& node, size_t input);       // for rank 1 or a scalar
inline constexpr int64_t kLargestDimension = std::numeric_limits<int32_t>::max();  // the API's
// The product, -1 where a factor is; an error above kLargestDimension.
Result<int64_t> times(int64_t dimension, int64_t factor);

}  // namespace nnrt::data_movement
