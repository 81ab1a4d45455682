// A tile of a matrix product in registers: ROWS rows by 8 columns, p the first four, q the others. The
// software drivers check every access to a buffer and are slow with shared memory, so that few wide loads
// win; named accumulators stay in registers, arrays may not. Variant ROW has one row, for products of
// vectors.
#ifndef NNRT_TILE
#define NNRT_TILE
#include "epilogue.glsl"
#include "parts.glsl"

layout(constant_id = 3) const uint ACTIVATION = 0;
layout(constant_id = 4) const bool HAS_BIAS = false;

#ifdef ROW
#define ROWS 1u
#define EACH_ROW(F) F(0)
#else
#define ROWS 8u
#define EACH_ROW(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#endif
#define COLUMNS 8u

READS_AS(0, a, PART);
READS_AS(1, b, vec4);  // four columns at a time
READS_AS(2, bias, PART);
WRITES_AS(3, y, PART);

#define ACCUMULATORS(i) vec4 p##i = vec4(0.0), q##i = vec4(0.0);

// WIDTH steps along the inner dimension: the columns' values, then what a row's PART adds.
#ifdef VEC4
#define LOAD_COLUMNS(p_at, q_at, step)                                                     \
  const vec4 p_x = b.v[p_at], p_y = b.v[(p_at) + (step)], p_z = b.v[(p_at) + 2u * (step)], \
             p_w = b.v[(p_at) + 3u * (step)], q_x = b.v[q_at], q_y = b.v[(q_at) + (step)], \
             q_z = b.v[(q_at) + 2u * (step)], q_w = b.v[(q_at) + 3u * (step)];
#define ACCUMULATE(i, part)                                \
  {                                                        \
    const vec4 e = part;                                   \
    p##i += e.x * p_x + e.y * p_y + e.z * p_z + e.w * p_w; \
    q##i += e.x * q_x + e.y * q_y + e.z * q_z + e.w * q_w; \
  }
#else
#define LOAD_COLUMNS(p_at, q_at, step) const vec4 p_x = b.v[p_at], q_x = b.v[q_at];
#define ACCUMULATE(i, part) \
  {                         \
    const float e = part;   \
    p##i += e * p_x;        \
    q##i += e * q_x;        \
  }
#endif

// For a loop over a copy: drivers take long to compile branches once for each row.
#ifdef ROW
#define TILE vec4[2](p0, q0)
#else
#define TILE vec4[16](p0, q0, p1, q1, p2, q2, p3, q3, p4, q4, p5, q5, p6, q6, p7, q7)
#endif

// Stores `four`, the columns from `column` on of `columns`, at element `at` of y; `bias_at` is their place in
// the bias.
void store(vec4 four, uint column, uint columns, uint at, uint bias_at) {
#ifdef VEC4
  if (HAS_BIAS) four += bias.v[bias_at / 4u];
  y.v[at / 4u] = activate(four, ACTIVATION);
#else
  for (uint i = 0u; i < min(4u, columns - column); ++i) {
    const float v = HAS_BIAS ? four[i] + bias.v[bias_at + i] : four[i];
    y.v[at + i] = activate(v, ACTIVATION);
  }
#endif
}

#endif
