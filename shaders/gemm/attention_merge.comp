// Merges the partial results of attention_decode.comp over shares of the keys; each invocation computes a
// vector of the result.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/softmax_power.glsl"
#include "base/vec4_access.glsl"

layout(constant_id = 3) const uint ZERO_ROWS = ZERO_NONE;
layout(push_constant) uniform Push {
  uint count, lines, splits;
  uint parts, vec4s;  // value size in PACKs and in vectors
  uint rows, queries, key_heads, group;
  uint result_strides[3];  // batch, head and row strides, in PACKs
};
#include "gemm/attention_places.glsl"

READS_AS(0, split_sums, vec4);
READS_AS(1, split_stats, float);
WRITES_AS(2, y, PACK);

void main() {
  const uint i = global_word();
  if (i >= count) return;
  const uint line = i / vec4s;
  float largest = -INFINITE;
  for (uint split = 0u; split < splits; ++split)
    largest = larger(largest, split_stats.v[2u * (split * lines + line)]);
  const float offset = largest == -INFINITE ? 0.0 : largest;
  float total = 0.0;
  vec4 sum = vec4(0.0);
  for (uint split = 0u; split < splits; ++split) {
    const uint at = split * lines + line;
    const float factor = power(split_stats.v[2u * at] - offset);
    total += split_stats.v[2u * at + 1u] * factor;
    sum += split_sums.v[split * count + i] * factor;
  }
  const vec4 result = quotient(sum, total, ZERO_ROWS);
  const uint row_at = ROW_AT(result_strides, line / rows, line % rows);
#ifdef VEC4
  y.v[row_at + i - line * vec4s] = result;
#else
  const uint part = (i - line * vec4s) * 4u;
  for (uint n = 0u; n < min(4u, parts - part); ++n) y.v[row_at + part + n] = result[n];
#endif
}
