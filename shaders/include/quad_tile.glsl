// A tile that four neighbouring invocations compute together: 16 rows by 16 columns. Each reads every fourth
// row and one four of columns, and has all rows of that four in its sums: what the others read of a row comes
// by exchange, which costs the software drivers one instruction where a read costs them fifty. Sum 4 r + d of
// invocation n is that of row 4 r + (n ^ d), so that the exchange is the same for all.
#ifndef NNRT_QUAD_TILE
#define NNRT_QUAD_TILE

#define INVOCATIONS 4u
#define ROWS 16u
#define EACH_READ(F) F(0) F(1) F(2) F(3)
#define LANE (gl_LocalInvocationID.x % INVOCATIONS)
#define ROW_READ(i) (4u * i + LANE)

#define SUMS_OF_READ(i) vec4 p##i = bias_own, q##i = bias_own, r##i = bias_own, s##i = bias_own;
#define SUMS(at, last, has_bias)                                             \
  const vec4 bias_own = bias_four((at) + RESULT_COLUMN(0u), last, has_bias); \
  EACH_READ(SUMS_OF_READ)

#define ADD(sum, e) sum += e.x * c0 + e.y * c1 + e.z * c2 + e.w * c3;
#define ADD_READ(i)                        \
  {                                        \
    FETCH(i)                               \
    ADD(p##i, e##i)                        \
    vec4 e = subgroupQuadSwapHorizontal(e##i); \
    ADD(q##i, e)                           \
    e = subgroupQuadSwapVertical(e##i);    \
    ADD(r##i, e)                           \
    e = subgroupQuadSwapDiagonal(e##i);    \
    ADD(s##i, e)                           \
  }
#define ADD_COLUMNS(at, step)                                                                     \
  {                                                                                               \
    const uint own = (at) + LANE;                                                                 \
    const vec4 c0 = B(own), c1 = B(own + (step)), c2 = B(own + 2u * (step)), c3 = B(own + 3u * (step)); \
    EACH_READ(ADD_READ)                                                                           \
  }

#define SUMS_READ(i) p##i, q##i, r##i, s##i
#define TILE vec4[ROWS](SUMS_READ(0), SUMS_READ(1), SUMS_READ(2), SUMS_READ(3))
#define RESULTS ROWS
#define RESULT_ROW(i) ((i) ^ LANE)
#define RESULT_COLUMN(i) (LANE * 4u)

#endif
