// The exponentials of a softmax.
#ifndef NNRT_SOFTMAX_POWER
#define NNRT_SOFTMAX_POWER
#include "base/float_math.glsl"

// ZeroRows of core/schema/attention_geometry.h.
const uint ZERO_NONE = 0u;
const uint ZERO_MASKED = 1u;
const uint ZERO_NAN = 2u;

// exp(v) for v <= 0; -inf gives 0, and NaN stays NaN (SwiftShader's exp() would give 0).
float power(float v) { return is_nan(v) ? v : exp(v < -104.0 ? -104.0 : v); }
vec4 power(vec4 v) {
  const bvec4 lost = bvec4(is_nan(v.x), is_nan(v.y), is_nan(v.z), is_nan(v.w));
  return mix(exp(mix(v, vec4(-104.0), lessThan(v, vec4(-104.0)))), v, lost);
}

// A row's weighted sum divided by its total, which is 0 if the row is masked.
vec4 quotient(vec4 sum, float total, uint zero_rows) {
  if (total == 0.0) return vec4(zero_rows == ZERO_NONE ? NAN : 0.0);
  if (zero_rows == ZERO_NAN && is_nan(total)) return vec4(0.0);
  return sum / total;
}

#endif
