// Movement operators as strided copies: TRANSPOSE, SLICE, CONCAT, SPACE_TO_DEPTH and their like differ only
// in these lists, which the CPU device and the GPU device both execute.
#pragma once

#include "core/schema/node_view.h"

#include <vector>

namespace nnrt {

// For every index in `shape`: output[to_offset + index * to_strides] = input[from_offset + index *
// from_strides], all in elements. Collapsed: neighbouring dimensions that can be one are one. Elements of
// to_strides are positive and fall; those of from_strides may be negative (mirrored) or 0 (repeated).
struct CopyRegion {
  size_t input = 0, output = 0;
  Shape shape;
  int64_t from_offset = 0, to_offset = 0;
  Strides from_strides, to_strides;
};

struct CopyProgram {
  // True: the regions leave parts of an output unwritten, which must first be filled with the node's fill
  // value (zero point of a quantized tensor, PAD's constant, else zero bits).
  bool needs_fill = false;
  std::vector<CopyRegion> regions;
};

// Returns whether the operator is of family data_movement (RESHAPE and its like are one contiguous region).
bool is_data_movement(Op op);

// All shapes must be static and all value inputs known. Regions of one program never overlap in an output.
Result<CopyProgram> copy_program(const NodeView& node);

// The bytes of one element with which an output is filled: quantized as the input that the output copies, and
// requantized if the output has other parameters (R11). For PAD, SPACE_TO_BATCH_ND, CONSTANT_OF_SHAPE, and
// the copying operators of family index, whose zeros (R20) it gives.
Bytes fill_element(const NodeView& node);

}  // namespace nnrt
