// Winograd input transform in NHWC: tiles of (OUT + 2)^2 pixels at a distance of OUT. An invocation
// transforms a vec4 of channels of a tile. v is [point][tile][channels / 4] of vec4. A NaN in a point marks a
// tile whose results winograd_output.comp must sum directly (core/passes/winograd_range.h).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/vec4_access.glsl"

layout(constant_id = 3) const uint OUT = 4;
layout(constant_id = 4) const bool UNROLLS = false;  // all columns' loads are issued together
#include "conv/winograd_tile.glsl"

layout(push_constant) uniform Push {
  uint count;                       // vec4 of all tiles of the dispatch
  uint first, down, across;         // first tile, and tiles per image
  uint in_height, in_width, parts;  // parts: vec4 per pixel
  int top, left;                    // padding before the first tile
  uint out_height, out_width;
  float range, limit;  // kWinogradRange, and winograd_limit()
};

READS_PACKS(0, x);
WRITES_AS(1, v, vec4);

vec4 points[kMaxIn][kMaxIn];   // by column of the tile, then row
uvec4 magnitudes = uvec4(0u);  // largest magnitudes as float bits, which compare like the values

uvec4 magnitude(vec4 a) { return floatBitsToUint(a) & 0x7fffffffu; }
uint largest(uvec4 a) { return max(max(a.x, a.y), max(a.z, a.w)); }

// Loads column j of the tile, which is column c of the input.
void read_column(uint j, int row, int c, uint part) {
  const ivec2 last = ivec2(in_height, in_width) - 1;
  const uint near = part + uint(clamp(c, 0, last.y)) * parts;
  vec4 d[kMaxIn], to[kMaxIn];
  // 0 outside; branch-free.
  [[unroll]] for (uint i = 0u; i < IN; ++i) {
    const int r = row + int(i);
    const uint pixel_row = uint(clamp(r, 0, last.x)) * in_width * parts;
    const bvec2 inside = lessThan(uvec2(r, c), uvec2(in_height, in_width));
    d[i] = where(all(inside), PACK_OF(x, pixel_row + near));
    magnitudes = max(magnitudes, magnitude(d[i]));
  }
  input_points(d, to);
  [[unroll]] for (uint i = 0u; i < IN; ++i) points[i][j] = to[i];
}

// The largest magnitude read for the result at (row, column) of the input, at least 1.
float magnitude_read(int row, int column, uint part) {
  uint read = floatBitsToUint(1.0);
  for (uint tap = 0u; tap < 9u; ++tap) {
    const int r = row + int(tap / 3u), c = column + int(tap % 3u);
    if (uint(r) >= in_height || uint(c) >= in_width) continue;
    read = max(read, largest(magnitude(PACK_OF(x, (uint(r) * in_width + uint(c)) * parts + part))));
  }
  return uintBitsToFloat(read);
}

// Whether this vec4 of channels requires direct summation.
bool is_direct(int row, int column, uint part) {
  const uint bits = largest(magnitudes);
  if (bits > floatBitsToUint(limit)) return true;
  const float magnitude_here = uintBitsToFloat(bits);
  if (magnitude_here <= range) return false;
  for (uint k = 0u; k < OUT * OUT; ++k) {
    const int r = row + int(k / OUT), c = column + int(k % OUT);
    if (uint(r + top) >= out_height || uint(c + left) >= out_width) continue;
    if (magnitude_here > range * magnitude_read(r, c, part)) return true;
  }
  return false;
}

// Invocations are ordered by channels, then by tiles.
void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint nth = index / parts;
  const uint tile_row = (first + nth) / across;
  const uint image = tile_row / down;
  const int row = int((tile_row - image * down) * OUT) - top;
  const int column = int((first + nth - tile_row * across) * OUT) - left;
  const uint part = image * in_height * in_width * parts + index - nth * parts;

  if (UNROLLS) {
    [[unroll]] for (uint j = 0u; j < IN; ++j) read_column(j, row, column + int(j), part);
  } else {
    for (uint j = 0u; j < IN; ++j) read_column(j, row, column + int(j), part);
  }
  uint at = index;
  [[unroll]] for (uint i = 0u; i < IN; ++i) {
    vec4 to[kMaxIn];
    input_points(points[i], to);
    [[unroll]] for (uint j = 0u; j < IN; ++j) {
      v.v[at] = to[j];
      at += count;
    }
  }
  // Written to a point that every result reads.
  if (is_direct(row, column, part)) v.v[index + (IN + 1u) * count] = vec4(uintBitsToFloat(0x7fc00000u));
}
