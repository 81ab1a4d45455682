// An operator's fused activation (R15), usually a specialization constant: 0 none, 1 RELU, 2 RELU6.
#ifndef NNRT_ACTIVATION_LIMITS
#define NNRT_ACTIVATION_LIMITS

// Comparisons, because max and min leave the handling of NaN to the driver.
float activate(float v, uint activation) {
  if (activation == 0u) return v;
  v = v < 0.0 ? 0.0 : v;
  return activation == 2u && v > 6.0 ? 6.0 : v;
}

// The activation as limits; -inf and inf stand for none.
float limited(float v, vec2 limits) {
  v = mix(v, limits.x, v < limits.x);
  return mix(v, limits.y, v > limits.y);
}
vec4 limited(vec4 v, vec2 limits) {
  v = mix(v, limits.xxxx, lessThan(v, limits.xxxx));
  return mix(v, limits.yyyy, greaterThan(v, limits.yyyy));
}

vec4 activate(vec4 v, uint activation) {
  if (activation == 0u) return v;
  v = mix(v, vec4(0.0), lessThan(v, vec4(0.0)));
  return activation == 2u ? mix(v, vec4(6.0), greaterThan(v, vec4(6.0))) : v;
}

int activate(int v, uint activation) {
  if (activation == 0u) return v;
  v = max(v, 0);
  return activation == 2u ? min(v, 6) : v;
}

// INT64 as two words, the low one first.
uvec2 activate(uvec2 v, uint activation) {
  if (activation == 0u) return v;
  if (int(v.y) < 0) return uvec2(0u);
  return activation == 2u && (v.y != 0u || v.x > 6u) ? uvec2(6u, 0u) : v;
}

#endif
