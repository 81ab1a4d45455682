// A tile in the registers of one invocation: ROWS rows x 16 columns, which are four vec4 (p, q, r and s) per
// row. Variant SMALL: two adjacent invocations, each with 4 rows x 8 columns (p and q). Variant HALF of VEC4
// and SMALL: four invocations, each with 4 rows x 4 columns (p), with sums of up to CHAIN K steps in fp16.
#ifndef NNRT_REGISTER_TILE
#define NNRT_REGISTER_TILE

#define BLOCKS 1u
#define OWN_BLOCK 0u
#if defined(SMALL)
#ifdef HALF
#define INVOCATIONS 4u  // per tile
#else
#define INVOCATIONS 2u
#endif
#define ROWS 4u
#define EACH_ROW(F) F(0) F(1) F(2) F(3)
#define OWN_VEC4S (VEC4S / INVOCATIONS)
#define OWN_VEC4 (gl_LocalInvocationID.x % INVOCATIONS * OWN_VEC4S)  // first one in the block
#else
#define INVOCATIONS 1u
#ifdef ROW
#define ROWS 1u
#define EACH_ROW(F) F(0)
#else
#define ROWS 8u
#define EACH_ROW(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#endif
#define OWN_VEC4S VEC4S
#endif
#define EACH_READ EACH_ROW  // rows that an invocation reads
#define ROW_READ(i) i       // index in the tile

#if defined(HALF)
#define SUMS_OF_ROW(i) \
  vec4 p##i = bias_p;  \
  f16vec4 chain_p##i = f16vec4(0.0);
#define SUMS(at, last, has_bias)                                       \
  const vec4 bias_p = bias_vec4((at) + 4u * OWN_VEC4, last, has_bias); \
  EACH_ROW(SUMS_OF_ROW)
#define END_CHAIN_OF_ROW(i) \
  p##i += vec4(chain_p##i); \
  chain_p##i = f16vec4(0.0);
#define END_CHAIN \
  { EACH_ROW(END_CHAIN_OF_ROW) }
#elif defined(SMALL)
#define SUMS_OF_ROW(i) vec4 p##i = bias_p, q##i = bias_q;
#define SUMS(at, last, has_bias)                                            \
  const vec4 bias_p = bias_vec4((at) + 4u * OWN_VEC4, last, has_bias),      \
             bias_q = bias_vec4((at) + 4u * OWN_VEC4 + 4u, last, has_bias); \
  EACH_ROW(SUMS_OF_ROW)
#else
#define SUMS_OF_ROW(i) vec4 p##i = bias_p, q##i = bias_q, r##i = bias_r, s##i = bias_s;
#define SUMS(at, last, has_bias)                                                                            \
  const vec4 bias_p = bias_vec4(at, last, has_bias), bias_q = bias_vec4((at) + 4u, last, has_bias),         \
             bias_r = bias_vec4((at) + 8u, last, has_bias), bias_s = bias_vec4((at) + 12u, last, has_bias); \
  EACH_ROW(SUMS_OF_ROW)
#endif

#ifdef HALF
#define ADD_P(i) ADD(chain_p, i)
#else
#define ADD_P(i) ADD(p, i)
#endif
#define ADD_Q(i) ADD(q, i)
#define ADD_R(i) ADD(r, i)
#define ADD_S(i) ADD(s, i)

// One K step at a time, so that few values are live in registers.
#ifdef VEC4
#ifdef SMALL  // four FMA without an addition
#define ADD(sum, i) \
  sum##i += e##i.x * c0, sum##i += e##i.y * c1, sum##i += e##i.z * c2, sum##i += e##i.w * c3;
#else
#define ADD(sum, i) sum##i += e##i.x * c0 + e##i.y * c1 + e##i.z * c2 + e##i.w * c3;
#endif
#define LOAD_COLUMNS(at, step, n)                                                 \
  const FACTOR c0 = FACTOR_OF(B((at) + n)), c1 = FACTOR_OF(B((at) + (step) + n)), \
               c2 = FACTOR_OF(B((at) + 2u * (step) + n)), c3 = FACTOR_OF(B((at) + 3u * (step) + n));
#else
#define ADD(sum, i) sum##i += e##i * c0;
#define LOAD_COLUMNS(at, step, n) const vec4 c0 = B((at) + n);
#endif
#if defined(HALF)
#define ADD_COLUMNS(at, step) \
  { EACH_ROW(FETCH) LOAD_COLUMNS((at) + OWN_VEC4, step, 0u) EACH_ROW(ADD_P) }
#elif defined(SMALL)
#define ADD_COLUMNS(at, step)                                      \
  {                                                                \
    const uint own = (at) + OWN_VEC4;                              \
    EACH_ROW(FETCH){LOAD_COLUMNS(own, step, 0u) EACH_ROW(ADD_P)} { \
      LOAD_COLUMNS(own, step, 1u) EACH_ROW(ADD_Q)                  \
    }                                                              \
  }
#else
#define ADD_COLUMNS(at, step)                                                                                \
  EACH_ROW(FETCH){LOAD_COLUMNS(at, step, 0u) EACH_ROW(ADD_P)} {LOAD_COLUMNS(at, step, 1u) EACH_ROW(ADD_Q)} { \
      LOAD_COLUMNS(at, step, 2u) EACH_ROW(ADD_R)} {                                                          \
    LOAD_COLUMNS(at, step, 3u) EACH_ROW(ADD_S)                                                               \
  }
#endif

// For FOR_RESULTS over a copy: drivers take long to compile a branch per row.
#ifdef SMALL
#ifdef HALF
#define ROW_OF_TILE(i) p##i
#else
#define ROW_OF_TILE(i) p##i, q##i
#endif
#define TILE vec4[ROWS * OWN_VEC4S](ROW_OF_TILE(0), ROW_OF_TILE(1), ROW_OF_TILE(2), ROW_OF_TILE(3))
#else
#define ROW_OF_TILE(i) p##i, q##i, r##i, s##i
#ifdef ROW
#define TILE vec4[VEC4S](ROW_OF_TILE(0))
#else
#define TILE                                                                                       \
  vec4[8u * VEC4S](ROW_OF_TILE(0), ROW_OF_TILE(1), ROW_OF_TILE(2), ROW_OF_TILE(3), ROW_OF_TILE(4), \
                   ROW_OF_TILE(5), ROW_OF_TILE(6), ROW_OF_TILE(7))
#endif
#endif
#define RESULTS (OWN_VEC4S * ROWS)  // vec4 per invocation
#define RESULT_ROW(i) ((i) / OWN_VEC4S)
#ifdef SMALL
#define RESULT_COLUMN(i) ((OWN_VEC4 + (i) % OWN_VEC4S) * 4u)
// GPUs keep no arrays in registers that a loop indexes.
#extension GL_EXT_control_flow_attributes : require
#define FOR_RESULTS(i) [[unroll]] for (uint i = 0u; i < RESULTS; ++i)
#else
#define RESULT_COLUMN(i) ((i) % VEC4S * 4u)
#endif

#endif
