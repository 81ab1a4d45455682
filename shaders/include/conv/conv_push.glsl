// The push constants of tiled convolution kernels.
#ifndef NNRT_CONV_PUSH
#define NNRT_CONV_PUSH
#include "gemm/gemm_tile.glsl"

layout(push_constant) uniform Push {
  uint pixels;  // end of the range of output pixels of the entire batch
  uint out_height, out_width, in_height, in_width;
  uint pixel_packs, group_packs;  // PACKs per pixel of a, and per group
  uint columns, groups;           // columns per group
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
  uint first_pixel, first_block, blocks;
  uint a_first;         // offset of the part of the input in `a`
  uint b_first;         // offset of the first block in `b`
  uint y_first, y_row;  // first element of y, and pixel stride
  uint part, y_part;    // split-K: K elements per split, and the stride of partial sums in y
  uint has_bias;
  EPILOGUE_PUSH
};

#include "conv/tap_walk.glsl"

#endif
