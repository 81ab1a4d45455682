// Bias and results of a GEMM, four columns at a time, in PACKs.
#ifndef NNRT_GEMM_STORE
#define NNRT_GEMM_STORE
#include "gemm/gemm_epilogue.glsl"

READS_AS(2, bias, PACK);
WRITES_AS(3, y, PACK);

// Sums start with the bias of their columns. `at` is the first of sixteen columns, `last` the last existing
// one.
vec4 bias_vec4(uint at, uint last, bool has_bias) {
#ifdef VEC4
  return where(has_bias, bias.v[has_bias ? min(at, last) / 4u : 0u]);
#else
  const uvec4 each = has_bias ? min(uvec4(at, at + 1u, at + 2u, at + 3u), uvec4(last)) : uvec4(0u);
  return where(has_bias, vec4(bias.v[each.x], bias.v[each.y], bias.v[each.z], bias.v[each.w]));
#endif
}

// Stores columns `column` ... of `columns` at element `at` of y. The group's first output channel is `first`.
void store(vec4 four, uint first, uint column, uint columns, uint at, Epilogue how) {
#ifdef VEC4
  y.v[at / 4u] = apply_epilogue(four, at / 4u, (first + column) / 4u, how);
#else
  for (uint i = 0u; i < min(4u, columns - column); ++i)
    y.v[at + i] = apply_epilogue(four[i], at + i, first + column + i, how);
#endif
}

#endif
