// Stores ATTENTION results in vectors of four elements.
#ifndef NNRT_ATTENTION_RESULT
#define NNRT_ATTENTION_RESULT
#include "gemm/attention_operands.glsl"

WRITES_AS(5, y, PACK);

// Stores vector `i` of the row at `row_at`.
void store_vec4(uint row_at, uint i, vec4 v) {
#ifdef VEC4
  y.v[row_at + i] = v;
#else
  for (uint n = 0u; n < min(4u, parts - 4u * i); ++n) y.v[row_at + 4u * i + n] = v[n];
#endif
}

#endif
