// Operators of two operands on floats, for binary.comp and for fused kernels. The operator is that of
// OH_NN_OperationType, usually a specialization constant; any other number gives the first operand.
// `parameters` are POW's factor and summand of the base.
#ifndef NNRT_BINARY_FUNCTIONS
#define NNRT_BINARY_FUNCTIONS
#include "base/float_math.glsl"
#include "elementwise/operator_numbers.glsl"

float divide(float u, float v) {
  if (v != 0.0) return u / v;
  return u == 0.0 || is_nan(u) ? NAN : with_sign_of(INFINITE, is_negative(u) != is_negative(v) ? -1.0 : 1.0);
}

// C's fmod. The quotient may be one off, and is corrected rather than the remainder, so that exact multiples
// give 0.
float remainder(float u, float v) {
  if (v == 0.0 || !is_finite(u) || is_nan(v)) return NAN;
  if (abs(u) < abs(v)) return u;
  const float d = abs(v);
  float q = floor(abs(u) / d);
  precise float r = abs(u) - q * d;
  if (r < 0.0 || r >= d) {
    q += r < 0.0 ? -1.0 : 1.0;
    r = abs(u) - q * d;
  }
  return r >= 0.0 && r < d ? with_sign_of(r, u) : with_sign_of(0.0, u);
}

float binary_of(uint op, float u, float v, vec2 parameters) {
  switch (op) {
    case OP_ADD: return u + v;
    case OP_SUB: return u - v;
    case OP_MUL: return u * v;
    case OP_DIV: return divide(u, v);
    case OP_MOD: return remainder(u, v);
    case OP_POW: return pow_of(parameters.x * u + parameters.y, v);
    case OP_MAXIMUM: return maximum(u, v);
    case OP_MINIMUM: return minimum(u, v);
    case OP_SQUARED_DIFFERENCE: return (u - v) * (u - v);
    case OP_PRELU: return u > 0.0 ? u : u * v;
  }
  return u;
}

#endif
