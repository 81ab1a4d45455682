// One operand, one result, element by element (R18). The operator is that of OH_NN_OperationType.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "float64.glsl"
#include "int64.glsl"
#include "math.glsl"
#include "words.glsl"

layout(constant_id = 3) const uint OP = 0;
layout(push_constant) uniform Push {
  uint vectors;
  float a, b;  // parameters of the operator
};

READS4(0, x);
WRITES4(1, y);

const uint HSWISH = 17u, SIGMOID = 28u, SQRT = 33u, TANH = 39u, RSQRT = 44u, RELU = 47u, RELU6 = 48u,
           GELU = 56u, ABS = 58u, ERF = 59u, EXP = 60u, SQUARE = 63u, LEAKY_RELU = 74u, CLIP = 76u, COS = 79u,
           LOG = 80u, NEG = 84u, RECIPROCAL = 85u, SIN = 86u, CEIL = 90u, FLOOR = 93u, ROUND = 102u,
           SWISH = 105u, HARD_SIGMOID = 107u;

#if defined(I64)
ELEM f(ELEM v) {
  switch (OP) {
    case ABS: return magnitude(v);
    case NEG: return negate(v);
  }
  return v;
}
#elif defined(I32) || defined(I16)
ELEM f(ELEM v) {
  switch (OP) {
    case RELU: return max(v, 0);
    case ABS: return abs(v);
    case SQUARE: return v * v;
    case CLIP: return min(max(v, floatBitsToInt(a)), floatBitsToInt(b));
    case NEG: return -v;
  }
  return v;
}
#else
float hard_sigmoid(float v) {
  const float u = v + 3.0;
  return (u < 0.0 ? 0.0 : u > 6.0 ? 6.0 : u) / 6.0;
}

float gelu(float v) {
  if (a == 0.0) return 0.5 * v * (1.0 + erf_of(v * 0.707106781));
  return 0.5 * v * (1.0 + tanh_of(0.797884561 * (v + 0.044715 * v * v * v)));
}

float of_float(float v) {
  switch (OP) {
    case HSWISH: return v * hard_sigmoid(v);
    case SIGMOID: return sigmoid(v);
    case SQRT: return v < 0.0 ? NAN : sqrt(v);
    case TANH: return tanh_of(v);
    case RSQRT: return v < 0.0 ? NAN : v == 0.0 ? INFINITE : is_infinite(v) ? 0.0 : 1.0 / sqrt(v);
    case RELU: return v < 0.0 ? 0.0 : v;
    case RELU6: return v < 0.0 ? 0.0 : v > 6.0 ? 6.0 : v;
    case GELU: return gelu(v);
    case ABS: return with_sign_of(v, 0.0);
    case ERF: return erf_of(v);
    case EXP: return exp_of(a * v + b);
    case SQUARE: return v * v;
    case LEAKY_RELU: return v > 0.0 ? v : v * a;
    case CLIP: return v < a ? a : v > b ? b : v;
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
  }
  return v;
}

#ifdef F64
// R13: what is not exact may have the precision of FLOAT32.
ELEM f(ELEM v) {
  switch (OP) {
    case NEG: return v ^ uvec2(0u, 0x80000000u);
    case CEIL: return ceil_of(v);
    case FLOOR: return floor_of(v);
    case ROUND: return round_of(v);
  }
  return double_of(of_float(float_of(v)));
}
#else
ELEM f(ELEM v) { return of_float(v); }
#endif
#endif

#ifdef WIDE
uvec4 mapped(uvec4 words) { return uvec4(f(words.xy), f(words.zw)); }
#else
uint mapped(uint word) {
#define MAPPED(lane) f(decode(word, lane))
  return pack(EACH_LANE(MAPPED));
}
uvec4 mapped(uvec4 words) {
  return uvec4(mapped(words.x), mapped(words.y), mapped(words.z), mapped(words.w));
}
#endif

void main() {
  const uint i = global_word();
  if (i < vectors) y.v[i] = mapped(x.v[i]);
}
