// Arithmetic on two operands with broadcasting (R9), and a fused activation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "binary.glsl"
#include "epilogue.glsl"
#include "math.glsl"

layout(constant_id = 4) const uint ACTIVATION = 0;

const uint ADD = 1u, DIV = 11u, MAXIMUM = 20u, MUL = 22u, POW = 25u, SQUARED_DIFFERENCE = 34u, SUB = 38u,
           PRELU = 46u, MOD = 83u, MINIMUM = 97u;

#if defined(F32) || defined(F16) || defined(Q8)
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

ELEM f(ELEM u, ELEM v) {
  switch (OP) {
    case ADD: return u + v;
    case SUB: return u - v;
    case MUL: return u * v;
    case DIV: return divide(u, v);
    case MOD: return remainder(u, v);
    case POW: return pow_of(a * u + b, v);
    case MAXIMUM: return maximum(u, v);
    case MINIMUM: return minimum(u, v);
    case SQUARED_DIFFERENCE: return (u - v) * (u - v);
    case PRELU: return u > 0.0 ? u : u * v;
  }
  return u;
}
#else
// By 0 it gives 0, and the lowest integer by -1 itself; the operands never reach the division that traps.
int divide(int u, int v) {
  const bool simple = v == 0 || v == -1;
  const int quotient = u / (simple ? 1 : v);
  return simple ? u * v : quotient;
}

ELEM f(ELEM u, ELEM v) {
  switch (OP) {
    case ADD: return u + v;
    case SUB: return u - v;
    case MUL: return u * v;
    case DIV: return divide(u, v);
    case MOD: return v == 0 ? 0 : u - divide(u, v) * v;
    case MAXIMUM: return max(u, v);
    case MINIMUM: return min(u, v);
    case SQUARED_DIFFERENCE: return (u - v) * (u - v);
  }
  return u;
}
#endif

#ifdef Q8
uint pack(float e[4]) {
  ivec4 codes;
  for (int lane = 0; lane < 4; ++lane) codes[lane] = quantize(e[lane], scale, signed_byte(zero_points, 2u));
  return pack_bytes(codes);
}
#endif

void main() {
  const uint word = global_word();
  if (word * LANES >= count) return;
  ELEM e[LANES];
  for (uint lane = 0u; lane < LANES; ++lane) {
    const uint i = word * LANES + lane;
    e[lane] = ELEM(0);
    if (i >= count) continue;
    const ivec2 place = places(i);
    const ELEM v = f(load_x(place.x), load_y(place.y));
    e[lane] = ACTIVATION == 0u ? v : activate(wrap(v), ACTIVATION);
  }
  z.w[word] = pack(e);
}
