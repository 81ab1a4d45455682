// Pixels whose channels are made up to whole fours with zeros.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "parts.glsl"

layout(push_constant) uniform Push {
  uint count;            // of fours written
  uint channels, parts;  // of a pixel of x, and fours of a pixel of y
};

READS_AS(0, x, float);
WRITES_AS(1, y, vec4);

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint pixel = index / parts;
  const uint first = (index - pixel * parts) * 4u;
  const uint at = pixel * channels + first;
  const uint last = pixel * channels + channels - 1u;
  const vec4 v = vec4(x.v[at], x.v[min(at + 1u, last)], x.v[min(at + 2u, last)], x.v[min(at + 3u, last)]);
  y.v[index] = mix(vec4(0.0), v, lessThan(uvec4(first) + uvec4(0u, 1u, 2u, 3u), uvec4(channels)));
}
