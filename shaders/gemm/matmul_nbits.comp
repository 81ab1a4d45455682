// Up to four rows times weights of 4 or 8 bits. An invocation computes one column and reads its weights once;
// in variant SUBGROUPS a workgroup shares the column, word by word.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/activation_limits.glsl"
#include "base/row_group.glsl"
#include "base/vec4_access.glsl"

layout(constant_id = 3) const uint BITS = 4u;
layout(constant_id = 4) const uint ROWS = 1u;
layout(constant_id = 5) const bool WHOLE_WORDS = false;  // no word spans two rows or blocks
layout(constant_id = 6) const bool HAS_BIAS = false;
layout(constant_id = 7) const uint ACTIVATION = 0u;
#ifdef GROUP
layout(constant_id = 8) const uint ACROSS = 1;
#endif

layout(push_constant) uniform Push { uint columns, inner, row_bytes, block, blocks; };

READS_AS(0, x, float);
READS(1, weight);
READS_AS(2, scales, float);
READS(3, zero_points);
READS_AS(4, bias, float);
WRITES_AS(5, y, float);

#include "gemm/nbits_weights.glsl"

// Element k of each row.
vec4 elements_at(uint k) {
  vec4 elements = vec4(x.v[k], 0.0, 0.0, 0.0);
  if (ROWS > 1u) elements.y = x.v[inner + k];
  if (ROWS > 2u) elements.z = x.v[2u * inner + k];
  if (ROWS > 3u) elements.w = x.v[3u * inner + k];
  return elements;
}

vec4 word_sum(uint word, uint k, int zero_point) {
  const uint kLanes = 32u / BITS;
  vec4 sum = vec4(0.0);
  for (uint lane = 0u; lane < kLanes; ++lane) {
    const int stored = int(bitfieldExtract(word, int(lane * BITS), int(BITS)));
    sum += elements_at(k + lane) * float(stored - zero_point);
  }
  return sum;
}

vec4 block_sum(uint column, uint begin, uint end, int zero_point) {
  vec4 sum = vec4(0.0);
  if (WHOLE_WORDS) {
    const uint first = column * (row_bytes / 4u);
    for (uint k = begin; k < end; k += 32u / BITS)
      sum += word_sum(weight.w[first + k * BITS / 32u], k, zero_point);
    return sum;
  }
  for (uint k = begin; k < end; ++k) sum += elements_at(k) * float(stored_at(column, k) - zero_point);
  return sum;
}

#define PLUS(a, b) ((a) + (b))
ROW_REDUCTION(sum_of_row, vec4, PLUS, subgroupAdd)

vec4 sum_of(uint column) {
  vec4 sum = vec4(0.0);
#ifdef GROUP  // every word is within one block
  const uint kLanes = 32u / BITS;
  const uint first = column * (row_bytes / 4u);
  for (uint word = OWN_LANE; word < inner / kLanes; word += ROW_LANES) {
    const uint k = word * kLanes;
    const uint at = column * blocks + k / block;
    sum += scales.v[at] * word_sum(weight.w[first + word], k, zero_point_of(at));
  }
#else
  for (uint b = 0u; b < blocks; ++b) {
    const uint at = column * blocks + b;
    const uint begin = b * block;
    sum += scales.v[at] * block_sum(column, begin, min(begin + block, inner), zero_point_of(at));
  }
#endif
  return sum_of_row(sum);
}

void main() {
  const uint column = OWN_ROW(columns);
  if (column >= columns) return;
  vec4 sum = sum_of(column);
  if (OWN_LANE != 0u) return;
  if (HAS_BIAS) sum += bias.v[column];
  sum = activate(sum, ACTIVATION);
  y.v[column] = sum.x;
  if (ROWS > 1u) y.v[columns + column] = sum.y;
  if (ROWS > 2u) y.v[2u * columns + column] = sum.z;
  if (ROWS > 3u) y.v[3u * columns + column] = sum.w;
}
