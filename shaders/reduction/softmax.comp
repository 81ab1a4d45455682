// SOFTMAX and LOG_SOFTMAX over the middle of (outer, length, inner), a row an invocation. Variant VEC4 takes
// four neighbours in inner, variant ROW four along the length.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/softmax_power.glsl"
#include "base/vec4_access.glsl"

layout(constant_id = 3) const bool LOGARITHM = false;
layout(constant_id = 4) const bool ZERO_NAN = false;  // rows that would be NaN are zeros

layout(push_constant) uniform Push {
  uint rows;
  uint length, inner;  // in PARTs, along what they are taken
};

READS_PACKS(0, x);
WRITES_AS(1, y, PACK);

float without_nan(float v) { return is_nan(v) ? 0.0 : v; }
vec4 without_nan(vec4 v) {
  return vec4(without_nan(v.x), without_nan(v.y), without_nan(v.z), without_nan(v.w));
}
float logarithm(float v) { return log_of(v); }
vec4 logarithm(vec4 v) { return vec4(log_of(v.x), log_of(v.y), log_of(v.z), log_of(v.w)); }

void main() {
  const uint row = global_word();
  if (row >= rows) return;
  const uint outer = row / inner;
  const uint first = outer * length * inner + row - outer * inner;
  const uint end = first + length * inner;

  PACK max_value = PACK_OF(x, first);
  for (uint at = first + inner; at < end; at += inner) max_value = larger(max_value, PACK_OF(x, at));
#ifdef ROW
  max_value = PACK(larger(larger(max_value.x, max_value.y), larger(max_value.z, max_value.w)));
#endif
  PACK sum = PACK(0.0);
  for (uint at = first; at < end; at += inner) sum += power(PACK_OF(x, at) - max_value);
#ifdef ROW
  sum = PACK((sum.x + sum.y) + (sum.z + sum.w));
#endif
  if (LOGARITHM) {
    const PACK log_sum = logarithm(sum);
    for (uint at = first; at < end; at += inner) y.v[at] = (PACK_OF(x, at) - max_value) - log_sum;
  } else if (ZERO_NAN) {
    for (uint at = first; at < end; at += inner) {
      y.v[at] = without_nan(power(PACK_OF(x, at) - max_value) / sum);
    }
  } else {
    for (uint at = first; at < end; at += inner) y.v[at] = power(PACK_OF(x, at) - max_value) / sum;
  }
}
