// A tile computed by a single invocation: ROWS rows x 16 columns, which are four vec4 (p, q, r and s) per
// row.
#ifndef NNRT_REGISTER_TILE
#define NNRT_REGISTER_TILE

#define INVOCATIONS 1u  // per tile
#define BLOCKS 1u
#define OWN_BLOCK 0u
#ifdef ROW
#define ROWS 1u
#define EACH_ROW(F) F(0)
#else
#define ROWS 8u
#define EACH_ROW(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#endif
#define EACH_READ EACH_ROW  // rows that an invocation reads
#define ROW_READ(i) i       // index in the tile

#define SUMS_OF_ROW(i) vec4 p##i = bias_p, q##i = bias_q, r##i = bias_r, s##i = bias_s;
#define SUMS(at, last, has_bias)                                                                            \
  const vec4 bias_p = bias_vec4(at, last, has_bias), bias_q = bias_vec4((at) + 4u, last, has_bias),         \
             bias_r = bias_vec4((at) + 8u, last, has_bias), bias_s = bias_vec4((at) + 12u, last, has_bias); \
  EACH_ROW(SUMS_OF_ROW)

// One K step at a time, so that few values are live in registers.
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
#define ADD_COLUMNS(at, step)                                                                                \
  EACH_ROW(FETCH){LOAD_COLUMNS(at, step, 0u) EACH_ROW(ADD_P)} {LOAD_COLUMNS(at, step, 1u) EACH_ROW(ADD_Q)} { \
      LOAD_COLUMNS(at, step, 2u) EACH_ROW(ADD_R)} {                                                          \
    LOAD_COLUMNS(at, step, 3u) EACH_ROW(ADD_S)                                                               \
  }

// For a loop over a copy: drivers take long to compile a branch per row.
#define ROW_OF_TILE(i) p##i, q##i, r##i, s##i
#ifdef ROW
#define TILE vec4[VEC4S](ROW_OF_TILE(0))
#else
#define TILE                                                                                       \
  vec4[8u * VEC4S](ROW_OF_TILE(0), ROW_OF_TILE(1), ROW_OF_TILE(2), ROW_OF_TILE(3), ROW_OF_TILE(4), \
                   ROW_OF_TILE(5), ROW_OF_TILE(6), ROW_OF_TILE(7))
#endif
#define RESULTS (VEC4S * ROWS)  // vec4 per tile
#define RESULT_ROW(i) ((i) / VEC4S)
#define RESULT_COLUMN(i) ((i) % VEC4S * 4u)

#endif
