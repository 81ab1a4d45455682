// Fast-compile y = a x b + bias for a batch of matrices: compiled in a tenth of the time of register tiles.
// An invocation computes 4x4 results. Variant VEC4 reads both operands along K, four elements at a time.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/activation_limits.glsl"
#include "base/vec4_access.glsl"
#include "elementwise/postop.glsl"

layout(push_constant) uniform Push {
  uint rows, columns, inner;             // inner: in PACKs
  uint a_row, a_step, b_column, b_step;  // in PACKs
  uint matrices, batch;                  // batch: matrices in the inner of two dimensions
  uint a_outer, a_inner, b_outer, b_inner;
  uint a_offset, b_offset, y_offset;
  uint has_bias, adds;       // adds: add `residual` after OPERATOR
  float postop_a, postop_b;  // of OPERATOR
  float low, high;           // clamps the results
};

READS_AS(0, a, PACK);
READS_AS(1, b, PACK);
#define A(i) a.v[i]
#define B(i) b.v[i]
READS_AS(2, bias, float);
WRITES_AS(3, y, float);
READS_AS(4, residual, float);  // or factors of OPERATOR

#ifdef VEC4
#define PRODUCT(e, c) dot(e, c)
#else
#define PRODUCT(e, c) (e) * (c)
#endif
#define ADD(sum, at)                                                             \
  {                                                                              \
    const PACK e = A(at);                                                        \
    sum += vec4(PRODUCT(e, c0), PRODUCT(e, c1), PRODUCT(e, c2), PRODUCT(e, c3)); \
  }

// Tiles are ordered by rows, then by columns, then by matrices.
void main() {
  const uint tiles = (rows + 3u) / 4u;
  const uint nth = gl_GlobalInvocationID.x / tiles;
  const uint first = (gl_GlobalInvocationID.x - nth * tiles) * 4u;
  const uint blocks = (columns + 3u) / 4u;
  const uint matrix = nth / blocks;
  if (matrix >= matrices) return;
  const uint column = (nth - matrix * blocks) * 4u;
  const uint outer = matrix / batch;
  const uint inner_matrix = matrix - outer * batch;

  const uvec4 row = min(first + uvec4(0u, 1u, 2u, 3u), uvec4(rows - 1u));
  const uvec4 each = min(column + uvec4(0u, 1u, 2u, 3u), uvec4(columns - 1u));
  uvec4 a_at = a_offset + outer * a_outer + inner_matrix * a_inner + row * a_row;
  uvec4 b_at = b_offset + outer * b_outer + inner_matrix * b_inner + each * b_column;
  vec4 sum0 = vec4(0.0), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (uint k = 0u; k < inner; ++k) {
    const PACK c0 = B(b_at.x), c1 = B(b_at.y), c2 = B(b_at.z), c3 = B(b_at.w);
    ADD(sum0, a_at.x)
    ADD(sum1, a_at.y)
    ADD(sum2, a_at.z)
    ADD(sum3, a_at.w)
    a_at += a_step;
    b_at += b_step;
  }

  // Columns beyond the last one repeat it. One loop with one store: unrolled or indexed stores take drivers
  // the longest to compile.
  const uint end = min(4u, rows - first) * 4u;
  for (uint i = 0u; i < end; ++i) {
    const vec4 four = i < 4u ? sum0 : i < 8u ? sum1 : i < 12u ? sum2 : sum3;
    const uint j = i & 3u;
    float sum = j == 0u ? four.x : j == 1u ? four.y : j == 2u ? four.z : four.w;
    const uint c = min(column + j, columns - 1u);
    const uint to = y_offset + (matrix * rows + first + i / 4u) * columns + c;
    if (has_bias != 0u) sum += bias.v[c];
    if (OPERATOR != 0u) sum = POSTOP_OF(sum, c, residual, uint(postop_a), vec2(postop_a, postop_b));
    if (adds != 0u) sum += residual.v[to];
    y.v[to] = limited(sum, vec2(low, high));
  }
}
