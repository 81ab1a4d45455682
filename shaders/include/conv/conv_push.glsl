// The push constants of tiled convolution kernels.
#ifndef NNRT_CONV_PUSH
#define NNRT_CONV_PUSH
#include "gemm/gemm_tile.glsl"

layout(push_constant) uniform Push {
  uint pixels;  // behind the last one, of the output over the whole batch
  uint out_height, out_width, in_height, in_width;
  uint pixel_packs, group_packs;  // PACKs of a pixel of a, and those a group reads
  uint columns, groups;           // columns of a group
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
  uint first_pixel, first_block, blocks;
  uint a_first;         // the part of the input where `a` begins
  uint b_first;         // the beginning of the first block in `b`
  uint y_first, y_row;  // the first pixel of y, and the distance from pixel to pixel, in elements
  uint part, y_part;    // steps of the inner dimension that a sum is of, and from sum to sum of y
  uint has_bias;
  EPILOGUE_PUSH
};

#include "conv/input_pixel.glsl"

#endif
