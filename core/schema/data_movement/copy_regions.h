// Data movement as strided copies: TRANSPOSE, SLICE, CONCAT, SPACE_TO_DEPTH etc. differ only in these lists,
// which both the CPU and the GPU device execute.
#pragma once

#include "core/schema/node_view.h"

#include <vector>

namespace nnrt {

// For every index in `shape`: output[to_offset + index * to_strides] = input[from_offset + index *
// from_strides], in elements. Mergeable dimensions are collapsed. to_strides are positive and decreasing;
// from_strides may be negative (mirrored) or 0 (repeated).
struct CopyRegion {
  size_t input = 0, output = 0;
  Shape shape;
  int64_t from_offset = 0, to_offset = 0;
  Strides from_strides, to_strides;
};

struct CopyProgram {
  // True: parts of an output are not covered by regions and must first be filled with the node's fill value
  // (zero point of a quantized tensor, PAD's constant, otherwise zeros).
  bool needs_fill = false;
  std::vector<CopyRegion> regions;
};

// Returns whether the operator is of family data_movement (RESHAPE etc. are one contiguous region).
bool is_data_movement(Op op);

// Shapes must be static and value inputs known. The regions of a program never overlap in an output.
Result<CopyProgram> copy_program(const NodeView& node);

// The fill element of an output: quantized with the parameters of the copied input, and requantized if the
// output's differ (R11). For PAD, SPACE_TO_BATCH_ND, CONSTANT_OF_SHAPE, and the copying operators of family
// index, which fill with zeros (R20).
Bytes fill_element(const NodeView& node);

}  // namespace nnrt
