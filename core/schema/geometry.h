// Geometry of a node, shared by inference, CPU kernels and GPU lowerings.
#pragma once

#include "core/schema/node_view.h"

#include <array>
#include <optional>
#include <vector>

namespace nnrt {

// Maps an axis in [-rank, rank) to [0, rank).
Result<int64_t> normalize_axis(int64_t axis, size_t rank);

// Indices of the batch, height, width and channel dimensions in a rank-4 tensor (R16).
struct Layout {
  size_t n = 0, h = 1, w = 2, c = 3;
};
Layout layout_of(Format format);

// The channel dimension of BATCH_NORM, BIAS_ADD, PRELU: last, or 1 for NCHW of rank 3 or more (R16).
size_t channel_axis(const NodeView& node);

// A scalar's shape becomes [1] (R6).
Shape with_dimension(Shape shape);

// Height (index 0) and width (1) of a convolution or pooling. Unknown values are -1.
struct SpatialParams {
  std::array<int64_t, 2> in{}, kernel{}, stride{1, 1}, dilation{1, 1}, before{}, after{}, out{};
};
// CONV2D, DEPTHWISE_CONV2D_NATIVE, AVG_POOL, MAX_POOL by R17, including round mode and global pooling.
Result<SpatialParams> spatial_params(const NodeView& node);
// CONV2D_TRANSPOSE: `before` is the offset into the uncropped result.
Result<SpatialParams> transposed_spatial_params(const NodeView& node);

// The reduced axes (R19), sorted, without duplicates. Input 1 must be known.
Result<std::vector<size_t>> reduced_axes(const NodeView& node);

// FULL_CONNECTION: the first flattened axis; empty if all elements are split into rows.
Result<std::optional<size_t>> flattened_axis(const NodeView& node);

// FULL_CONNECTION: rows x inner to rows x outer. MATMUL: after broadcasting, with strides per batch.
struct MatMul {
  int64_t rows = 0, columns = 0, inner = 0;
  bool transpose_a = false, transpose_b = false;
  Shape batch;                             // leading dimensions of the result
  Strides batch_stride_a, batch_stride_b;  // in matrices; 0 if broadcast
};
Result<MatMul> matmul_of(const NodeView& node);
// Merges the batch into the rows if all left matrices are contiguous and multiplied with the same right
// operand: [197, 1, 768] x [768, 2304] becomes 197 rows. Shapes must be known.
MatMul fold_batch(MatMul work);

// Interpolation along one axis of RESIZE_BILINEAR: out[i] = (1 - t) * in[low] + t * in[high].
struct Tap {
  int64_t low, high;
  float t;
};
std::vector<Tap> resize_taps(int64_t in, int64_t out, int64_t coordinate_mode);

}  // namespace nnrt
