// A tile computed by four or eight adjacent invocations: 16 rows, and one vec4 of columns per invocation. An
// invocation reads every fourth or eighth row and its own columns, and accumulates all rows for them. It gets
// the other rows by shuffles, which cost the software drivers one instruction where a load costs fifty.
#ifndef NNRT_SUBGROUP_TILE
#define NNRT_SUBGROUP_TILE

#define ROWS 16u
#define LANE (gl_LocalInvocationID.x % INVOCATIONS)
#define ROW_READ(i) (INVOCATIONS * i + LANE)

#ifdef SUBGROUP8
#define INVOCATIONS 8u
#define BLOCKS 2u
#define OWN_BLOCK (LANE / VEC4S)
#define EACH_READ(F) F(0) F(1)
#define EACH_OTHER(F, i) F(i, 0) F(i, 1) F(i, 2) F(i, 3) F(i, 4) F(i, 5) F(i, 6) F(i, 7)
// Sum d of read i belongs to the row that invocation d reads.
#define OTHER(e, d) subgroupShuffle(e, d)
#define RESULT_ROW(i) (i)
#else
#define INVOCATIONS 4u
#define BLOCKS 1u
#define OWN_BLOCK 0u
#define EACH_READ(F) F(0) F(1) F(2) F(3)
#define EACH_OTHER(F, i) F(i, 0) F(i, 1) F(i, 2) F(i, 3)
// In invocation n, sum d of read i belongs to the row that invocation n ^ d reads.
#define OTHER_0(e) e
#define OTHER_1(e) subgroupQuadSwapHorizontal(e)
#define OTHER_2(e) subgroupQuadSwapVertical(e)
#define OTHER_3(e) subgroupQuadSwapDiagonal(e)
#define OTHER(e, d) OTHER_##d(e)
#define RESULT_ROW(i) ((i) ^ LANE)
#endif

#define BEGIN(i, d) vec4 s##i##d = bias_own;
#define BEGIN_READ(i) EACH_OTHER(BEGIN, i)
#define SUMS(at, last, has_bias)                                             \
  const vec4 bias_own = bias_vec4((at) + RESULT_COLUMN(0u), last, has_bias); \
  EACH_READ(BEGIN_READ)

#define ADD(i, d)                                         \
  {                                                       \
    const vec4 e = OTHER(e##i, d);                        \
    s##i##d += e.x * c0 + e.y * c1 + e.z * c2 + e.w * c3; \
  }
#define ADD_READ(i) \
  { FETCH(i) EACH_OTHER(ADD, i) }
// SwiftShader has registers for the sums of one read at a time, so the next read comes after them.
#define ADD_COLUMNS(at, step)                                                                           \
  {                                                                                                     \
    const uint own = (at) + LANE % VEC4S;                                                               \
    const vec4 c0 = B(own), c1 = B(own + (step)), c2 = B(own + 2u * (step)), c3 = B(own + 3u * (step)); \
    EACH_READ(ADD_READ)                                                                                 \
  }

#ifdef SUBGROUP8
#define SUMS_READ(i) s##i##0, s##i##1, s##i##2, s##i##3, s##i##4, s##i##5, s##i##6, s##i##7
#define TILE vec4[ROWS](SUMS_READ(0), SUMS_READ(1))
#else
#define SUMS_READ(i) s##i##0, s##i##1, s##i##2, s##i##3
#define TILE vec4[ROWS](SUMS_READ(0), SUMS_READ(1), SUMS_READ(2), SUMS_READ(3))
#endif
#define RESULTS ROWS
#define RESULT_COLUMN(i) (LANE * 4u)

#endif
