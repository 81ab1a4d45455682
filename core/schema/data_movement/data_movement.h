// Resolves the parameters of data movement operators (masks, negative axes, -1 sizes, defaults) for both
// inference and copy regions. Dimensions may be -1; value inputs must be known. A scalar counts as [1] where
// a dimension is needed (R6).
#pragma once

#include "core/schema/geometry.h"
#include "core/schema/node_view.h"

#include <array>
#include <limits>
#include <vector>

namespace nnrt::data_movement {

// RESHAPE, FLATTEN, SQUEEZE, UNSQUEEZE, EXPAND_DIMS: the output shape.
Result<Shape> reshaped(const NodeView& node);

// TRANSPOSE: the input dimension of each output dimension.
Result<std::vector<size_t>> permutation(const NodeView& node);

// SLICE, STRIDED_SLICE, CROP: per input dimension, `count` elements starting at `begin` with stride `step`.
struct Slice {
  Shape input;
  std::vector<int64_t> begin, step;
  Shape count;
  Shape output;  // `count` with new dimensions added and shrunk ones removed
};
Result<Slice> slice(const NodeView& node);

// TILE, BROADCAST_TO: both have the output's rank; each output dimension is a multiple of the input's.
struct Repeat {
  Shape input, output;
};
Result<Repeat> repeat(const NodeView& node);

// CONCAT and STACK join parts to a tensor, SPLIT and UNSTACK split it. The parts of STACK and UNSTACK have
// length 1 along the axis here, unlike their tensors.
struct ConcatSplit {
  Shape whole;
  size_t axis = 0;
  Shape sizes;

  Shape segment(size_t i) const;
};
Result<ConcatSplit> concat_split(const NodeView& node);

// DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND: an image, and its blocks packed into
// depth or batch. `before` and `after` are positions around the image that exist only in the packed tensor:
// padding when packing, crops when unpacking.
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

// Shared helpers.
Shape at_least_1d(const Shape& shape);
Result<std::vector<int64_t>> known_list(const NodeView& node, size_t input);       // for rank 1 or a scalar
inline constexpr int64_t kLargestDimension = std::numeric_limits<int32_t>::max();  // limit of the API
// The product; -1 if a factor is -1; an error above kLargestDimension.
Result<int64_t> times(int64_t dimension, int64_t factor);

}  // namespace nnrt::data_movement
