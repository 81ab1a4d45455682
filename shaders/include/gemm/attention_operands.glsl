// Shared by the ATTENTION kernels. The queries of all heads that share a key head are the rows of one matrix.
// Online softmax: whenever a larger score appears, the sums so far are scaled down. Variant VEC4: query and
// value sizes are multiples of 4.
#ifndef NNRT_ATTENTION_OPERANDS
#define NNRT_ATTENTION_OPERANDS
#extension GL_EXT_control_flow_attributes : require
#include "base/softmax_power.glsl"
#include "base/vec4_access.glsl"

// MaskKind of backends/vulkan/lower/attention/attention_work.h.
const uint NO_MASK = 0u;
const uint NUMBERS = 1u;
const uint FLAGS = 2u;

#ifdef FP16_VECTORS
layout(constant_id = 3) const uint ROWS = 64u;
#else
layout(constant_id = 3) const uint ROWS = 4u;  // rows per workgroup
#endif
layout(constant_id = 4) const uint MASK = NO_MASK;
layout(constant_id = 5) const bool CAUSAL = false;
layout(constant_id = 6) const uint ZERO_ROWS = ZERO_NONE;

layout(push_constant) uniform Push {
  uint count;                // workgroups
  uint rows, queries, keys;  // rows: queries of all heads of a group
  uint size, parts;          // PACKs per query and per value
  uint key_heads, group;     // group: query heads per key head
  uint blocks, part_blocks;  // blocks of ROWS rows, and blocks of a value's parts
  int shift;                 // query i sees keys up to i + shift
  float scale;
  uint mask_strides[4];     // by batch, head, query and key
  uint splits, split_keys;  // split of the keys among workgroups
  // Batch, head and row strides, in PACKs.
  uint query_strides[3], key_strides[3], value_strides[3], result_strides[3];
};

#include "gemm/attention_places.glsl"
// The offset of a row of keys or values.
#define LINE_AT(strides, matrix, line) \
  ((matrix) / key_heads * strides[0] + (matrix) % key_heads * strides[1] + (line)*strides[2])

#ifdef FP16_VECTORS  // operands are read as vectors of eight fp16 values
READS4(0, query);
READS4(1, key);
READS4(2, value);
#else
READS_AS(0, query, PACK);
READS_AS(1, key, PACK);
READS_AS(2, value, PACK);
#endif
READS_AS(3, mask, float);
READS(4, flags);

// The mask's offset for a row.
uint mask_at(uint row, uint matrix) {
  const uint head = matrix % key_heads * group + row / queries;
  return matrix / key_heads * mask_strides[0] + head * mask_strides[1] + row % queries * mask_strides[2];
}

float masked(float v, uint row_at, uint at_key) {
  const uint at = row_at + at_key * mask_strides[3];
  if (MASK == NUMBERS) return v + mask.v[at];
  return unsigned_byte(flags.w[at / 4u], at % 4u) != 0 ? v : -INFINITE;
}
float masked(float v, uint row, uint matrix, uint at_key) { return masked(v, mask_at(row, matrix), at_key); }

// Returns how many keys each row sees, counted from the first one.
ivec4 seen_by(uvec4 row) {
  if (!CAUSAL) return ivec4(int(keys));
  return clamp(ivec4(row % queries) + shift + 1, ivec4(0), ivec4(int(keys)));
}

// The end of the keys that any row of the workgroup sees.
uint end_of(uint first_row) {
  if (!CAUSAL) return keys;
  const uint last_row = min(first_row + ROWS, rows) - 1u;
  const bool has_last_query = first_row / queries != last_row / queries;
  return uint(seen_by(uvec4(has_last_query ? queries - 1u : last_row)).x);
}

// Rows beyond the last one repeat it.
uvec4 rows_from(uint first) {
  return min(uvec4(first, first + 1u, first + 2u, first + 3u), uvec4(rows - 1u));
}

// The value to subtract before exponentials: the maximum, or 0 if all scores are -inf. NaN stays.
vec4 offset_of(vec4 largest) { return mix(largest, vec4(0.0), equal(largest, vec4(-INFINITE))); }

// Vectors of a row at offset `at`, with zeros past its end; existing() zeroes those of CLAMPED_VEC4_AT.
// Branch-free, because branches take some drivers long to compile.
#define PACK_OR_ZERO(x, at, length, i) where((i) < (length), (x).v[(at) + min(i, (length)-1u)])
#define CLAMPED_PACK(x, at, length, i) (x).v[(at) + min(i, (length)-1u)]
#ifdef VEC4
#define CLAMPED_VEC4_AT(x, at, length, i) CLAMPED_PACK(x, at, length, i)
vec4 existing(vec4 v, uint length, uint i) { return where(i < length, v); }
#define VEC4S(length) (length)
#define VEC4_AT(x, at, length, i) PACK_OR_ZERO(x, at, length, i)
#else
#define CLAMPED_VEC4_AT(x, at, length, i)                                                 \
  vec4(CLAMPED_PACK(x, at, length, 4u * (i)), CLAMPED_PACK(x, at, length, 4u * (i) + 1u), \
       CLAMPED_PACK(x, at, length, 4u * (i) + 2u), CLAMPED_PACK(x, at, length, 4u * (i) + 3u))
vec4 existing(vec4 v, uint length, uint i) {
  return mix(vec4(0.0), v, lessThan(4u * i + uvec4(0u, 1u, 2u, 3u), uvec4(length)));
}
#define VEC4S(length) (((length) + 3u) / 4u)
#define VEC4_AT(x, at, length, i)                                                         \
  vec4(PACK_OR_ZERO(x, at, length, 4u * (i)), PACK_OR_ZERO(x, at, length, 4u * (i) + 1u), \
       PACK_OR_ZERO(x, at, length, 4u * (i) + 2u), PACK_OR_ZERO(x, at, length, 4u * (i) + 3u))
#endif

vec4 quotient(vec4 sum, float total) { return quotient(sum, total, ZERO_ROWS); }

#endif
