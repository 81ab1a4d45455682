// Pads the channels of pixels with zeros to whole vec4, and rows with zeros on both sides, `left` columns on
// the left. Variant VEC4: three channels, four pixels (three vec4 of x) at a time; it counts columns in
// fours. x is [N, H, W, C], in variant PLANES [N, C, H, W].
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/vec4_access.glsl"

layout(push_constant) uniform Push {
  uint count;                       // units of work: vec4 written, in VEC4 four of them
  uint channels, parts;             // channels per pixel of x, vec4 per pixel of y
  uint step;                        // stride between an invocation's units
  uint columns, own_columns, left;  // columns of y and of x, and padding on the left
#ifdef PLANES
  uint rows, plane;  // rows of an image, and its pixels in units of the variant
#endif
};

READS_PACKS(0, x);
WRITES_AS(1, y, vec4);

// The index in x of pixel `pixel` of y (in PLANES of its first channel), and whether it exists.
uvec2 source(uint pixel) {
  const uint row = pixel / columns;
  const uint column = pixel - row * columns - left;  // wraps to a large value if negative
  uint first = row * own_columns;
#ifdef PLANES
  first += row / rows * (channels - 1u) * plane;
#endif
  return column < own_columns ? uvec2(first + column, 1u) : uvec2(0u);
}

#ifdef VEC4
void widen(uint i) {
  const uvec2 from = source(i);
  const bool inside = from.y != 0u;
#ifdef PLANES
  const uint first = from.x, step = plane;
#else
  const uint first = from.x * 3u, step = 1u;
#endif
  const uint to = i * 4u;
  const vec4 a = where(inside, PACK_OF(x, first)), b = where(inside, PACK_OF(x, first + step)),
             c = where(inside, PACK_OF(x, first + 2u * step));
#ifdef PLANES
  y.v[to] = vec4(a.x, b.x, c.x, 0.0);
  y.v[to + 1u] = vec4(a.y, b.y, c.y, 0.0);
  y.v[to + 2u] = vec4(a.z, b.z, c.z, 0.0);
  y.v[to + 3u] = vec4(a.w, b.w, c.w, 0.0);
#else
  y.v[to] = vec4(a.xyz, 0.0);
  y.v[to + 1u] = vec4(a.w, b.xy, 0.0);
  y.v[to + 2u] = vec4(b.zw, c.x, 0.0);
  y.v[to + 3u] = vec4(c.yzw, 0.0);
#endif
}
#else
void widen(uint i) {
  const uint pixel = i / parts;
  const uint first = (i - pixel * parts) * 4u;
  const uvec2 from = source(pixel);
#ifdef PLANES
  const uint pixel_step = 1u, channel_step = plane;
#else
  const uint pixel_step = channels, channel_step = 1u;
#endif
  const uvec4 at = from.x * pixel_step + min(first + uvec4(0u, 1u, 2u, 3u), channels - 1u) * channel_step;
  const vec4 v = vec4(x.v[at.x], x.v[at.y], x.v[at.z], x.v[at.w]);
  y.v[i] = mix(vec4(0.0), v, lessThan(uvec4(first) + uvec4(0u, 1u, 2u, 3u), uvec4(from.y * channels)));
}
#endif

void main() {
  const uint begin = global_word();
  if (begin >= step) return;
  for (uint i = begin; i < count; i += step) widen(i);
}
