// fp16 convolutions by cooperative matrices with float sums. Rows of a tile are output pixels, whose
// receptive fields are loaded into shared memory; columns are channels of one group. The channels per group
// are a multiple of 8. y, bias and residual are declared as floats; fp16_storage.h rewrites them to fp16.
//
// Variant IM2COL supports any number of channels per group. K runs over the elements of the receptive field,
// which are read one by one, so pixels and channels can have any stride. There a is declared as float too.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gemm/cooperative_matrix_tile.glsl"

layout(push_constant) uniform Push {
  uint pixels;  // output pixels of the entire batch
  uint out_height, out_width, in_height, in_width;
#ifdef IM2COL
  uint channels, group_channels;  // channels per pixel of a, and per group
  uint pixel_step, channel_step;  // strides of a, in elements
#else
  uint pixel_vec8s, group_vec8s;  // vectors per pixel of a, and per group
#endif
  uint columns, groups;  // columns per group
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
  uint part;  // split-K: K elements per split; 0: all
  uint y_first, y_row;
  uint has_bias;
  EPILOGUE_PUSH
};
#include "conv/tap_walk.glsl"

uint y_from, group, first_pixel, first_column, inner;
ivec3 corners[EACH];
uvec3 position, slice_step;
#ifdef IM2COL
#define PARTS group_channels
#define PART 1u  // K elements
#else
#define PARTS group_vec8s
#define PART FP16S
#endif

void begin_steps(uint k) {
  position = position_of(k / PART, PARTS);
  slice_step = position_of(SLICE / PART, PARTS);
}
void next_steps() { position = moved(position, slice_step, PARTS); }

#ifdef IM2COL
// The element of the receptive field at a row, column and channel; 0 outside of the input and below the
// kernel's last row.
float element(ivec3 corner, uvec3 at) {
  const uint pixel = find(ivec3(corner.xy, 0), tap_of(at));
  const bool is_there = at.x < kernel_height && pixel != kNone;
  const uint channel = group * group_channels + at.z;
  const uint i = uint(corner.z) * channels + pixel * pixel_step + channel * channel_step;
  return where(is_there, a.v[is_there ? i : 0u]);
}

uvec3 next_element(uvec3 at) { return moved(at, uvec3(0u, 0u, 1u), group_channels); }

uvec4 left_vector(uint nth, uint row, uint k, out bool exists) {
  exists = true;  // elements outside of the input are zero already
  uvec3 at = position;
  uvec4 packed = uvec4(0u);
  [[unroll]] for (uint i = 0u; i < FP16S / 2u; ++i) {
    const float low = element(corners[nth], at);
    at = next_element(at);
    packed[i] = packHalf2x16(vec2(low, element(corners[nth], at)));
    at = next_element(at);
  }
  return packed;
}
#else
uvec4 left_vector(uint nth, uint row, uint k, out bool exists) {
  const uint pixel = find_at(corners[nth], position);
  exists = k < inner && pixel != kNone;
  return a.v[exists ? pixel * pixel_vec8s + group * group_vec8s + position.z : 0u];
}
#endif

uvec4 column_vector(uint column, uint k, out bool exists) {
  exists = k < inner;
  const uint line = group * columns + min(first_column + column, columns - 1u);
  return b.v[line * ((inner + FP16S - 1u) / FP16S) + min(k, inner - 1u) / FP16S];
}

// Never called: weights are stored by columns.
uvec4 row_vector(uint column, uint k, out bool exists) { return column_vector(column, k, exists); }

vec4 bias_at(uint column) {
  return bias_of(group * columns + min(first_column + column, columns - 4u), has_bias != 0u);
}

void store_vec4(vec4 sum, uint row, uint column) {
  if (first_pixel + row >= pixels || first_column + column >= columns) return;
  const uint channel = group * columns + first_column + column;
  const uint at = (y_from + (first_pixel + row) * y_row + channel) / 4u;
  y.v[at] = apply_epilogue(sum + own_bias, at, channel / 4u, EPILOGUE_ARGS);
}

// Workgroups are ordered by pixels, then by channels, then by groups.
void main() {
  const uint tiles = (pixels + TILE - 1u) / TILE;
  const uint nth = gl_WorkGroupID.x / tiles;
  const uint group_tiles = (columns + TILE - 1u) / TILE;
  group = nth / group_tiles;
  first_pixel = gl_WorkGroupID.x % tiles * TILE;
  first_column = nth % group_tiles * TILE;
#ifdef IM2COL
  inner = kernel_height * kernel_width * group_channels;
#else
  inner = kernel_height * kernel_width * group_vec8s * FP16S;
#endif
  UNROLL for (uint i = 0u; i < EACH; ++i) {
    const uint row = (gl_LocalInvocationID.x + i * GROUP) / VECTORS;
#ifdef IM2COL
    corners[i] = corner(min(first_pixel + row, pixels - 1u));
#else
    corners[i] = walked_corner(min(first_pixel + row, pixels - 1u));
#endif
  }
  const uint first = part * gl_WorkGroupID.z;
  y_from = y_first + gl_WorkGroupID.z * pixels * columns * groups;
  multiply_tile(first, part == 0u ? inner : min(first + part, inner));
}
