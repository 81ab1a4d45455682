// The exponentials of a softmax.
#ifndef NNRT_SOFTMAX_POWER
#define NNRT_SOFTMAX_POWER
#include "base/float_math.glsl"

// exp(v) for v <= 0; -inf gives 0, and NaN stays NaN (SwiftShader's exp() would give 0).
float power(float v) { return is_nan(v) ? v : exp(v < -104.0 ? -104.0 : v); }
vec4 power(vec4 v) {
  const bvec4 lost = bvec4(is_nan(v.x), is_nan(v.y), is_nan(v.z), is_nan(v.w));
  return mix(exp(mix(v, vec4(-104.0), lessThan(v, vec4(-104.0)))), v, lost);
}

#endif
