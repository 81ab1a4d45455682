// SOFTMAX and LOG_SOFTMAX over the middle of (outer, length, inner). One invocation per row; in variants
// GROUP and SUBGROUPS one workgroup. Variant VEC4 loads four neighbours along inner, variant ROW four along
// length.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/row_group.glsl"
#include "base/softmax_power.glsl"
#include "base/vec4_access.glsl"

layout(constant_id = 3) const bool LOGARITHM = false;
layout(constant_id = 4) const uint ZERO_ROWS = ZERO_NONE;
#ifdef GROUP
layout(constant_id = 5) const uint ACROSS = 1;
#endif

layout(push_constant) uniform Push {
  uint rows;
  uint length, inner;  // in PACKs along their dimension
};

READS_PACKS(0, x);
WRITES_AS(1, y, PACK);

// In ZERO_MASKED rows, 0 is subtracted instead of -inf, which leaves zeros and a sum of 0. NaN stays NaN.
float offset_of(float v) { return v == -INFINITE ? 0.0 : v; }
vec4 offset_of(vec4 v) { return mix(v, vec4(0.0), equal(v, vec4(-INFINITE))); }
float divisor_of(float v) { return v == 0.0 ? 1.0 : v; }
vec4 divisor_of(vec4 v) { return mix(v, vec4(1.0), equal(v, vec4(0.0))); }
float without_nan(float v) { return is_nan(v) ? 0.0 : v; }
vec4 without_nan(vec4 v) {
  return vec4(without_nan(v.x), without_nan(v.y), without_nan(v.z), without_nan(v.w));
}
float logarithm(float v) { return log_of(v); }
vec4 logarithm(vec4 v) { return vec4(log_of(v.x), log_of(v.y), log_of(v.z), log_of(v.w)); }

#ifdef ROW
#define OF_ROW float
float largest(vec4 v) { return larger(larger(v.x, v.y), larger(v.z, v.w)); }
float total(vec4 v) { return (v.x + v.y) + (v.z + v.w); }
#else
#define OF_ROW PACK
PACK largest(PACK v) { return v; }
PACK total(PACK v) { return v; }
#endif
#define PLUS(a, b) ((a) + (b))
ROW_REDUCTION(largest_of_row, OF_ROW, larger, subgroupMax)
ROW_REDUCTION(sum_of_row, OF_ROW, PLUS, subgroupAdd)

// The row elements of this invocation. If it has the row alone, k is the index itself, which saves a
// multiplication.
#ifdef GROUP
#define PLACE(k) (first + (k)*inner)
#define FOR_EACH_OF_ROW(v, body) FOR_EACH_LOAD(k, OWN_LANE, length, PACK, v, PACK_OF(x, PLACE(k)), body)
#else
#define PLACE(k) (k)
#define FOR_EACH_OF_ROW(v, body)                                            \
  for (uint k = first, end = first + length * inner; k < end; k += inner) { \
    const PACK v = PACK_OF(x, k);                                           \
    body                                                                    \
  }
#endif

void main() {
  const uint row = OWN_ROW(rows);
  if (row >= rows) return;
  const uint outer = row / inner;
  const uint first = outer * length * inner + row - outer * inner;
  PACK max_value = PACK_OF(x, first);
  FOR_EACH_OF_ROW(v, { max_value = larger(max_value, v); })
  max_value = PACK(largest_of_row(largest(max_value)));
  if (ZERO_ROWS == ZERO_MASKED) max_value = offset_of(max_value);
  PACK sum = PACK(0.0);
  FOR_EACH_OF_ROW(v, { sum += power(v - max_value); })
  sum = PACK(sum_of_row(total(sum)));
  if (ZERO_ROWS == ZERO_MASKED) sum = divisor_of(sum);
  if (LOGARITHM) {
    const PACK log_sum = logarithm(sum);
    FOR_EACH_OF_ROW(v, { y.v[PLACE(k)] = (v - max_value) - log_sum; })
  } else if (ZERO_ROWS == ZERO_NAN) {
    FOR_EACH_OF_ROW(v, { y.v[PLACE(k)] = without_nan(power(v - max_value) / sum); })
  } else {
    FOR_EACH_OF_ROW(v, { y.v[PLACE(k)] = power(v - max_value) / sum; })
  }
}
