// Positions along K of a convolution: kernel row, kernel column, and one of the `parts` of a kernel cell.
// Walking K in equal steps saves two divisions per step.
#ifndef NNRT_TAP_WALK
#define NNRT_TAP_WALK
#include "conv/input_pixel.glsl"

uvec3 position_of(uint part, uint parts) {
  const uint cell = part / parts;
  return uvec3(cell / kernel_width, cell % kernel_width, part - cell * parts);
}

// Advances `at` by the distance `by`, which has the form of a position.
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

ivec2 tap_of(uvec3 at) { return ivec2(at.xy * uvec2(dilation_height, dilation_width)); }

// The corner of an output pixel for find_at(): the third value is the corner's index, unless TRANSPOSED.
ivec3 walked_corner(uint pixel) {
  ivec3 at = corner(pixel);
  if (!TRANSPOSED) at.z += at.x * int(in_width) + at.y;
  return at;
}

// The input pixel at a position, or kNone.
uint find_at(ivec3 corner, uvec3 at) {
  const ivec2 tap = tap_of(at);
  if (TRANSPOSED) return find(corner, tap);
  const bool is_inside = all(lessThan(uvec2(corner.xy + tap), uvec2(in_height, in_width)));
  return mix(kNone, uint(corner.z + (tap.x * int(in_width) + tap.y)), is_inside);
}

#endif
