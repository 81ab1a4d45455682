// Operators of one operand on floats, for unary.comp and for what is fused into other kernels. The operator
// is that of OH_NN_OperationType, usually a specialization constant; any other number leaves the value as it
// is. `parameters` are what backends/vulkan/lower/elementwise/lower_unary.cpp gives (CLIP: the bounds; GELU:
// whether it is the form with tanh; LEAKY_RELU: the slope; EXP: factor and summand of the exponent;
// QUANT_DTYPE_CAST, from and to the real values of codes: scale and zero point).
#ifndef NNRT_UNARY_FUNCTIONS
#define NNRT_UNARY_FUNCTIONS
#include "base/activation_limits.glsl"
#include "base/float_math.glsl"

const uint HSWISH = 17u, SIGMOID = 28u, SQRT = 33u, TANH = 39u, RSQRT = 44u, RELU = 47u, RELU6 = 48u,
           GELU = 56u, ABS = 58u, ERF = 59u, EXP = 60u, SQUARE = 63u, LEAKY_RELU = 74u, CLIP = 76u, COS = 79u,
           LOG = 80u, NEG = 84u, RECIPROCAL = 85u, SIN = 86u, CEIL = 90u, FLOOR = 93u, ROUND = 102u,
           SWISH = 105u, HARD_SIGMOID = 107u, QUANT_DTYPE_CAST = 52u;

float hard_sigmoid(float v) {
  const float u = v + 3.0;
  return limited(u, vec2(0.0, 6.0)) / 6.0;
}

float gelu(float v, bool approximate) {
  if (approximate) return 0.5 * v * (1.0 + tanh_of(0.797884561 * (v + 0.044715 * v * v * v)));
  const float half_tail = 0.5 * erfc_of(abs(v) * 0.707106781);
  return v * mix(1.0 - half_tail, half_tail, v < 0.0);
}

float unary_of(uint op, float v, vec2 parameters) {
  const float a = parameters.x, b = parameters.y;
  switch (op) {
    case HSWISH: return v * hard_sigmoid(v);
    case SIGMOID: return sigmoid(v);
    case SQRT: return v < 0.0 ? NAN : sqrt(v);
    case TANH: return tanh_of(v);
    case RSQRT: return v < 0.0 ? NAN : v == 0.0 ? INFINITE : is_infinite(v) ? 0.0 : 1.0 / sqrt(v);
    case RELU: return v < 0.0 ? 0.0 : v;
    case RELU6: return limited(v, vec2(0.0, 6.0));
    case GELU: return gelu(v, a != 0.0);
    case ABS: return with_sign_of(v, 0.0);
    case ERF: return erf_of(v);
    case EXP: return exp_of(a * v + b);
    case SQUARE: return v * v;
    case LEAKY_RELU: return v > 0.0 ? v : v * a;
    case CLIP: return limited(v, parameters);
    case COS: return cos_of(v);
    case LOG: return log_of(v);
    case NEG: return uintBitsToFloat(floatBitsToUint(v) ^ 0x80000000u);
    case RECIPROCAL:
      return v == 0.0 ? with_sign_of(INFINITE, v) : is_infinite(v) ? with_sign_of(0.0, v) : 1.0 / v;
    case SIN: return sin_of(v);
    case CEIL: return ceil(v);
    case FLOOR: return floor(v);
    case ROUND: return round_away(v);
    case SWISH: return v * sigmoid(v);
    case HARD_SIGMOID: return is_nan(v) ? v : hard_sigmoid(v);
    case QUANT_DTYPE_CAST: return on_grid(v, a, b);
  }
  return v;
}
vec4 unary_of(uint op, vec4 v, vec2 parameters) {
  if (op == QUANT_DTYPE_CAST) return on_grid(v, parameters.x, parameters.y);
  return vec4(unary_of(op, v.x, parameters), unary_of(op, v.y, parameters), unary_of(op, v.z, parameters),
              unary_of(op, v.w, parameters));
}

#endif
