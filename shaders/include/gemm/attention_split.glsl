// Stores results of ATTENTION kernels of few rows. In variant SPLIT, those of a share of the keys.
#ifndef NNRT_ATTENTION_SPLIT
#define NNRT_ATTENTION_SPLIT
#ifdef SPLIT
#include "gemm/attention_operands.glsl"
WRITES_AS(5, split_sums, vec4);    // [split][row] of value vectors
WRITES_AS(6, split_stats, float);  // [split][row] of maximum score and total
#else
#include "gemm/attention_result.glsl"
#endif

void store(uint split, uint matrix, uint row, uint part, vec4 sum, float largest, float total) {
#ifdef SPLIT
  const uint at = (split * (count / splits / part_blocks / blocks) + matrix) * rows + row;
  split_sums.v[at * VEC4S(parts) + part] = sum;
  if (part > 0u) return;
  split_stats.v[2u * at] = largest;
  split_stats.v[2u * at + 1u] = total;
#else
  store_vec4(ROW_AT(result_strides, matrix, row), part, quotient(sum, total));
#endif
}

vec4 mask_scores(vec4 v, uvec4 row, ivec4 seen, uint matrix, uint at_key, uint end) {
  if (MASK != NO_MASK) {
    [[unroll]] for (uint i = 0u; i < ROWS; ++i) v[i] = masked(v[i], row[i], matrix, min(at_key, keys - 1u));
  }
  return mix(v, vec4(-INFINITE), greaterThanEqual(ivec4(int(at_key)), min(seen, ivec4(int(end)))));
}

#endif
