// Unary operators on floats, for unary.comp and fused kernels. The operator is an OH_NN_OperationType or
// OP_GELU_BY_TANH, usually a specialization constant; any other number returns the operand. `parameters` come
// from backends/vulkan/lower/elementwise/lower_unary.cpp (CLIP: the bounds; LEAKY_RELU: the slope; EXP:
// factor and offset of the exponent; QUANT_DTYPE_CAST: factor and digits of requantized(), or with ties to
// even the factor).
#ifndef NNRT_UNARY_FUNCTIONS
#define NNRT_UNARY_FUNCTIONS
#include "base/activation_limits.glsl"
#include "base/float_math.glsl"
#include "elementwise/operator_numbers.glsl"
#include "elementwise/requantized_steps.glsl"

// GELU's tanh approximation is a separate operator, because CPU drivers would compute both forms.
const uint OP_GELU_BY_TANH = OP_GELU + 0x10000u;
const uint OP_REQUANTIZE_TO_EVEN = OP_QUANT_DTYPE_CAST + 0x10000u;

float hard_sigmoid(float v) {
  const float u = v + 3.0;
  return limited(u, vec2(0.0, 6.0)) / 6.0;
}

// max(v, 0) - |v| / 2 * erfc(|v| / sqrt(2)). erfc is approximated as q^-16 with q a polynomial, to 5e-8 in
// the result; with rounding within 4e-7.
float gelu(float v) {
  const float size = abs(0.5 * v);
  const float above = v * mix(0.0, 1.0, v > 0.0);  // NaN for -inf, as v * erfc() is
  const float a = mix(size, 3.0, size > 3.0);
  float q =
      1.0 +
      a * (0.0997381955 +
           a * (0.0845100582 +
                a * (0.0265064184 +
                     a * (-8.24031158e-5 + a * (0.0023931663 + a * (-1.3270932e-4 + a * 1.04562947e-4))))));
  q = q * q;
  q = q * q;
  q = q * q;
  return above - a / (q * q);
}

float unary_of(const uint op, float v, vec2 parameters) {
  const float a = parameters.x, b = parameters.y;
  switch (op) {
    case OP_HSWISH: return v * hard_sigmoid(v);
    case OP_SIGMOID: return sigmoid(v);
    case OP_SQRT: return v < 0.0 ? NAN : sqrt(v);
    case OP_TANH: return tanh_of(v);
    case OP_RSQRT: return v < 0.0 ? NAN : v == 0.0 ? INFINITE : is_infinite(v) ? 0.0 : 1.0 / sqrt(v);
    case OP_RELU: return v < 0.0 ? 0.0 : v;
    case OP_RELU6: return limited(v, vec2(0.0, 6.0));
    case OP_GELU: return gelu(v);
    case OP_GELU_BY_TANH: return 0.5 * v * (1.0 + tanh_of(0.797884561 * (v + 0.044715 * v * v * v)));
    case OP_ABS: return with_sign_of(v, 0.0);
    case OP_ERF: return erf_of(v);
    case OP_EXP: return exp_of(a * v + b);
    case OP_SQUARE: return v * v;
    case OP_LEAKY_RELU: return v > 0.0 ? v : v * a;
    case OP_CLIP: return limited(v, parameters);
    case OP_COS: return cos_of(v);
    case OP_LOG: return log_of(v);
    case OP_NEG: return uintBitsToFloat(floatBitsToUint(v) ^ 0x80000000u);
    case OP_RECIPROCAL:
      return v == 0.0 ? with_sign_of(INFINITE, v) : is_infinite(v) ? with_sign_of(0.0, v) : 1.0 / v;
    case OP_SIN: return sin_of(v);
    case OP_CEIL: return ceil(v);
    case OP_FLOOR: return floor(v);
    case OP_ROUND: return round_away(v);
    case OP_ROUND_HALF_EVEN: return round_half_even(v);
    case OP_SWISH: return v * sigmoid(v);
    case OP_SIGN: return is_nan(v) ? v : sign(v);
    case OP_HARD_SIGMOID: return is_nan(v) ? v : hard_sigmoid(v);
    case OP_QUANT_DTYPE_CAST: return requantized(v, a, b);
    case OP_REQUANTIZE_TO_EVEN: return requantized_to_even(v, a);
  }
  return v;
}
vec4 unary_of(const uint op, vec4 v, vec2 parameters) {
  if (op == OP_QUANT_DTYPE_CAST) return requantized(v, vec4(parameters.x), vec4(parameters.y));
  return vec4(unary_of(op, v.x, parameters), unary_of(op, v.y, parameters), unary_of(op, v.z, parameters),
              unary_of(op, v.w, parameters));
}

#endif
