// Pixels whose channels are made up to whole fours with zeros. Variant VEC4 is for three channels: four
// pixels, which are three fours of x, at once.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "parts.glsl"

layout(push_constant) uniform Push {
  uint count;            // of fours written
  uint channels, parts;  // of a pixel of x, and fours of a pixel of y
  uint step;             // between the work of an invocation
};

READS_PARTS(0, x);
WRITES_AS(1, y, vec4);

#ifdef VEC4
void widen(uint four) {
  const uint last = (count * 3u - 1u) / 4u;
  const uint first = four * 3u, to = four * 4u;
  const vec4 a = PART_OF(x, first), b = PART_OF(x, min(first + 1u, last)),
             c = PART_OF(x, min(first + 2u, last));
  y.v[to] = vec4(a.xyz, 0.0);
  if (to + 1u < count) y.v[to + 1u] = vec4(a.w, b.xy, 0.0);
  if (to + 2u < count) y.v[to + 2u] = vec4(b.zw, c.x, 0.0);
  if (to + 3u < count) y.v[to + 3u] = vec4(c.yzw, 0.0);
}
const uint kPixels = 4u;
#else
void widen(uint index) {
  const uint pixel = index / parts;
  const uint first = (index - pixel * parts) * 4u;
  const uint at = pixel * channels + first;
  const uint last = pixel * channels + channels - 1u;
  const vec4 v = vec4(x.v[at], x.v[min(at + 1u, last)], x.v[min(at + 2u, last)], x.v[min(at + 3u, last)]);
  y.v[index] = mix(vec4(0.0), v, lessThan(uvec4(first) + uvec4(0u, 1u, 2u, 3u), uvec4(channels)));
}
const uint kPixels = 1u;
#endif

void main() {
  const uint begin = global_word();
  if (begin >= step) return;
  for (uint i = begin; i * kPixels < count; i += step) widen(i);
}
