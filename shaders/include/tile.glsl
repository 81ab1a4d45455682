// A tile of a matrix product in registers: ROWS rows by 16 columns, four fours of them (p, q, r and s). The
// software drivers check every access to a buffer and are slow with shared memory, so that few wide loads
// win; named accumulators stay in registers, arrays may not. Variant TEXELS reads through views of texels,
// which these drivers do two to three times faster. Variant ROW has one row, for products of vectors.
#ifndef NNRT_TILE
#define NNRT_TILE
#include "finish.glsl"

#ifdef ROW
#define ROWS 1u
#define EACH_ROW(F) F(0)
#else
#define ROWS 8u
#define EACH_ROW(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#endif
#define FOURS 4u
#define COLUMNS 16u

#ifdef TEXELS
READS_TEXELS(1, b);
#define B(i) TEXEL(b, i)
#else
READS_AS(1, b, vec4);  // four columns at a time
#define B(i) b.v[i]
#endif
#if defined(TEXELS) && defined(VEC4)
READS_TEXELS(0, a);
#define A(i) TEXEL(a, i)
#else
READS_AS(0, a, PART);
#define A(i) a.v[i]
#endif
READS_AS(2, bias, PART);
WRITES_AS(3, y, PART);

// Sums begin with the bias of their columns. `at` is that of the first of sixteen columns, `last` that of the
// last one there is.
vec4 bias_four(uint at, uint last, bool has_bias) {
#ifdef VEC4
  return where(has_bias, bias.v[has_bias ? min(at, last) / 4u : 0u]);
#else
  const uvec4 each = has_bias ? min(uvec4(at, at + 1u, at + 2u, at + 3u), uvec4(last)) : uvec4(0u);
  return where(has_bias, vec4(bias.v[each.x], bias.v[each.y], bias.v[each.z], bias.v[each.w]));
#endif
}
#define BIASES(at, last, has_bias)                                                                  \
  const vec4 bias_p = bias_four(at, last, has_bias), bias_q = bias_four((at) + 4u, last, has_bias), \
             bias_r = bias_four((at) + 8u, last, has_bias), bias_s = bias_four((at) + 12u, last, has_bias);
#define ACCUMULATORS(i) vec4 p##i = bias_p, q##i = bias_q, r##i = bias_r, s##i = bias_s;

// WIDTH steps along the inner dimension: e##i is what row i has of them. Four columns after the other, so
// that few of their values wait in registers at once. `at` is the place of the first four of b, `step` the
// way to the next index.
#ifdef VEC4
#define ADD(sum, i) sum##i += e##i.x * c0 + e##i.y * c1 + e##i.z * c2 + e##i.w * c3;
#define LOAD_COLUMNS(at, step, n)                                                         \
  const vec4 c0 = B((at) + n), c1 = B((at) + (step) + n), c2 = B((at) + 2u * (step) + n), \
             c3 = B((at) + 3u * (step) + n);
#else
#define ADD(sum, i) sum##i += e##i * c0;
#define LOAD_COLUMNS(at, step, n) const vec4 c0 = B((at) + n);
#endif
#define ADD_P(i) ADD(p, i)
#define ADD_Q(i) ADD(q, i)
#define ADD_R(i) ADD(r, i)
#define ADD_S(i) ADD(s, i)
#define ADD_COLUMNS(at, step)                                                                 \
  {LOAD_COLUMNS(at, step, 0u) EACH_ROW(ADD_P)} {LOAD_COLUMNS(at, step, 1u) EACH_ROW(ADD_Q)} { \
      LOAD_COLUMNS(at, step, 2u) EACH_ROW(ADD_R)} {                                           \
    LOAD_COLUMNS(at, step, 3u) EACH_ROW(ADD_S)                                                \
  }

// For a loop over a copy: drivers take long to compile branches once for each row.
#define ROW_OF_TILE(i) p##i, q##i, r##i, s##i
#ifdef ROW
#define TILE vec4[FOURS](ROW_OF_TILE(0))
#else
#define TILE                                                                                       \
  vec4[8u * FOURS](ROW_OF_TILE(0), ROW_OF_TILE(1), ROW_OF_TILE(2), ROW_OF_TILE(3), ROW_OF_TILE(4), \
                   ROW_OF_TILE(5), ROW_OF_TILE(6), ROW_OF_TILE(7))
#endif

// Stores `four`, the columns from `column` on of `columns`, at element `at` of y.
void store(vec4 four, uint column, uint columns, uint at, Finish how) {
#ifdef VEC4
  y.v[at / 4u] = finished(four, at / 4u, how);
#else
  for (uint i = 0u; i < min(4u, columns - column); ++i) y.v[at + i] = finished(four[i], at + i, how);
#endif
}

#endif
