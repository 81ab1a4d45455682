// Binary operators on floats, for binary.comp and fused kernels. The operator is an OH_NN_OperationType,
// usually a specialization constant; any other number returns the first operand. `parameters`: POW's factor
// and offset of the base.
#ifndef NNRT_BINARY_FUNCTIONS
#define NNRT_BINARY_FUNCTIONS
#include "base/float_math.glsl"
#include "elementwise/operator_numbers.glsl"

float divide(float u, float v) {
  if (v != 0.0) return u / v;
  return u == 0.0 || is_nan(u) ? NAN : with_sign_of(INFINITE, is_negative(u) != is_negative(v) ? -1.0 : 1.0);
}

// The mantissa of a positive finite number as an integer; `exponent` is that of its last bit, at least 1.
uint digits_of(uint bits, out uint exponent) {
  exponent = max(bits >> 23, 1u);
  return (bits & 0x7fffffu) | (bits < 0x800000u ? 0u : 0x800000u);
}

// C's fmod, exact: an integer division with 8 bits of the quotient at a time.
float remainder(float u, float v) {
  if (v == 0.0 || !is_finite(u) || is_nan(v)) return NAN;
  const uint size = floatBitsToUint(u) & 0x7fffffffu, by = floatBitsToUint(v) & 0x7fffffffu;
  if (size < by) return u;
  uint exponent, last;
  uint rest = digits_of(size, exponent);
  const uint divisor = digits_of(by, last);
  rest %= divisor;
  while (exponent > last && rest != 0u) {
    const uint bits = min(exponent - last, 8u);
    rest = (rest << bits) % divisor;
    exponent -= bits;
  }
  if (rest == 0u) return with_sign_of(0.0, u);
  const uint zeros = min(uint(23 - findMSB(rest)), last - 1u);
  rest <<= zeros;  // subnormal if the leading bit is still 0
  const uint result = rest < 0x800000u ? rest : ((last - zeros) << 23) | (rest & 0x7fffffu);
  return with_sign_of(uintBitsToFloat(result), u);
}

float binary_of(const uint op, float u, float v, vec2 parameters) {
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
