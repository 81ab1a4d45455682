// Positions along K of a convolution: kernel row, kernel column, and part of `parts` per kernel cell. Walking
// K in equal steps takes two divisions per step less than computing each position.
#ifndef NNRT_TAP_WALK
#define NNRT_TAP_WALK
#include "conv/input_pixel.glsl"

uvec3 position_of(uint part, uint parts) {
  const uint cell = part / parts;
  return uvec3(cell / kernel_width, cell % kernel_width, part - cell * parts);
}

// The position `by` behind `at`, where `by` is a position too.
uvec3 moved(uvec3 at, uvec3 by, uint parts) {
  at += by;
  const bool ends_cell = at.z >= parts;
  at.z -= ends_cell ? parts : 0u;
  at.y += uint(ends_cell);
  const bool ends_row = at.y >= kernel_width;
  at.y -= ends_row ? kernel_width : 0u;
  at.x += uint(ends_row);
  return at;
}

// The input pixel at a position, or kNone.
uint find(ivec3 corner, uvec3 at) {
  return find(corner, ivec2(at.xy * uvec2(dilation_height, dilation_width)));
}

#endif
