// Winograd's F(OUT x OUT, 3x3) along one dimension, OUT being 4 or 2: the transform of OUT + 2 inputs to
// points, and of points to OUT results. Interpolation points are 0, 1, -1, 2, -2 and infinity, or 0, 1, -1
// and infinity; backends/vulkan/lower/conv/winograd_weights.cpp transforms the weights.
#ifndef NNRT_WINOGRAD_TILE
#define NNRT_WINOGRAD_TILE
#extension GL_EXT_control_flow_attributes : require

const uint kMaxIn = 6u, kMaxOut = 4u;
const uint IN = OUT + 2u;

void input_points(vec4 d[kMaxIn], out vec4 to[kMaxIn]) {
  if (OUT == 4u) {
    const vec4 a = d[4] - 4.0 * d[2], b = d[3] - 4.0 * d[1];
    const vec4 c = d[4] - d[2], e = 2.0 * (d[3] - d[1]);
    to[0] = 4.0 * d[0] - 5.0 * d[2] + d[4];
    to[1] = a + b;
    to[2] = a - b;
    to[3] = c + e;
    to[4] = c - e;
    to[5] = 4.0 * d[1] - 5.0 * d[3] + d[5];
  } else {
    to[0] = d[0] - d[2];
    to[1] = d[1] + d[2];
    to[2] = d[2] - d[1];
    to[3] = d[3] - d[1];
  }
}

void results_of(vec4 m[kMaxIn], out vec4 to[kMaxOut]) {
  const vec4 a = m[1] + m[2], b = m[1] - m[2];
  if (OUT == 4u) {
    const vec4 c = m[3] + m[4], e = m[3] - m[4];
    to[0] = m[0] + a + c;
    to[1] = b + 2.0 * e;
    to[2] = a + 4.0 * c;
    to[3] = b + 8.0 * e + m[5];
  } else {
    to[0] = m[0] + a;
    to[1] = b + m[3];
  }
}

#endif
