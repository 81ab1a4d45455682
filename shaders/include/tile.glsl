// A tile of a matrix product in registers: ROWS rows by 8 columns, p the first four, q the others. The software
// drivers check every access to a buffer and are slow with shared memory, so that few wide loads win; named
// accumulators stay in registers, arrays may not. Variant ROW has one row, for products of vectors.
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
#define LOAD_COLUMNS(p_at, q_at, step)                                                                      \
  const vec4 p_x = b.v[p_at], p_y = b.v[(p_at) + (step)], p_z = b.v[(p_at) + 2u * (step)],                  \
             p_w = b.v[(p_at) + 3u * (step)], q_x = b.v[q_at], q_y = b.v[(q_at) + (step)],                  \
             q_z = b.v[(q_at) + 2u * (step)], q_w = b.v[(q_at) + 3u * (step)];
#define ACCUMULATE(i, part)                                           \
  {                                                                   \
    const vec4 e = part;                                              \
    p##i += e.x * p_x + e.y * p_y + e.z * p_z + e.w * p_w;            \
    q##i += e.x * q_x + e.y * q_y + e.z * q_z + e.w * q_w;            \
  }
#else
#define LOAD_COLUMNS(p_at, q_at, step) const vec4 p_x = b.v[p_at], q_x = b.v[q_at];
#define ACCUMULATE(i, part)  \
  {                          \
    const float e = part;    \
    p##i += e * p_x;         \
    q##i += e * q_x;         \
  }
#endif

#ifdef VEC4
void store_four(uint at, uint column, uint count, vec4 v) {
  if (HAS_BIAS) v += bias.v[column / 4u];
  y.v[at / 4u] = activate(v, ACTIVATION);
}
#else
void store_one(uint at, uint column, float v) {
  if (HAS_BIAS) v += bias.v[column];
  y.v[at] = activate(v, ACTIVATION);
}
void store_four(uint at, uint column, uint count, vec4 v) {
  store_one(at, column, v.x);
  if (count > 1u) store_one(at + 1u, column + 1u, v.y);
  if (count > 2u) store_one(at + 2u, column + 2u, v.z);
  if (count > 3u) store_one(at + 3u, column + 3u, v.w);
}
#endif

// The first `count` of 8 columns, from element `at` of y on; `column` is their place in the bias.
void store_row(uint at, uint column, uint count, vec4 p, vec4 q) {
  store_four(at, column, count, p);
  if (count > 4u) store_four(at + 4u, column + 4u, count - 4u, q);
}

#endif
