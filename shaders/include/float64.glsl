// FLOAT64 as two words, the low one first, for devices need not have it.
#ifndef NNRT_FLOAT64
#define NNRT_FLOAT64
#include "int64.glsl"
#include "math.glsl"

bool is_nan(uvec2 a) { return (a.y & 0x7fffffffu) + (a.x != 0u ? 1u : 0u) > 0x7ff00000u; }

// An INT64 that is ordered as the numbers are; both zeros are 0.
uvec2 order_of(uvec2 a) {
  const uvec2 positive = uvec2(a.x, a.y & 0x7fffffffu);
  return is_negative(a) ? negate(positive) : positive;
}

int exponent_of(uvec2 a) { return int(a.y >> 20 & 0x7ffu) - 1023; }

// The bits after the point, for an exponent of 0 to 51.
uvec2 fraction_bits(int exponent) { return subtract(shift_left(uvec2(1u, 0u), uint(52 - exponent)), uvec2(1u, 0u)); }

uvec2 truncate(uvec2 a) {
  const int exponent = exponent_of(a);
  if (exponent < 0) return uvec2(0u, a.y & 0x80000000u);
  return exponent >= 52 ? a : a & ~fraction_bits(exponent);
}

// The next integer away from 0 after truncate(a), for an exponent below 52.
uvec2 away(uvec2 a) {
  const int exponent = exponent_of(a);
  if (exponent < 0) return uvec2(0u, (a.y & 0x80000000u) | 0x3ff00000u);
  return add(truncate(a), add(fraction_bits(exponent), uvec2(1u, 0u)));
}

uvec2 ceil_of(uvec2 a) {
  const uvec2 whole = truncate(a);
  return whole == a || is_negative(a) ? whole : away(a);
}
uvec2 floor_of(uvec2 a) {
  const uvec2 whole = truncate(a);
  return whole == a || !is_negative(a) ? whole : away(a);
}
// Halves away from 0.
uvec2 round_of(uvec2 a) {
  const int exponent = exponent_of(a);
  if (exponent >= 52 || exponent < -1) return truncate(a);
  return exponent == -1 || (shift_right(a, uint(51 - exponent)).x & 1u) != 0u ? away(a) : truncate(a);
}

// To nearest, ties to even; what FLOAT32 has as subnormals becomes 0.
float float_of(uvec2 a) {
  const int exponent = exponent_of(a);
  const uint sign = a.y & 0x80000000u;
  if (is_nan(a)) return NAN;
  if (exponent > 127) return uintBitsToFloat(sign | 0x7f800000u);
  if (exponent < -126) return uintBitsToFloat(sign);
  const uint bits = uint(exponent + 127) << 23 | (a.y & 0xfffffu) << 3 | a.x >> 29;
  const uint rest = (a.x & 0x1fffffffu) + (bits & 1u);
  return uintBitsToFloat(sign | (bits + (rest > 0x10000000u ? 1u : 0u)));
}

uvec2 double_of(float v) {
  const uint bits = floatBitsToUint(v);
  const uint sign = bits & 0x80000000u;
  const uint a = bits & 0x7fffffffu;
  if (a < 0x800000u) return uvec2(0u, sign);
  const uint bias = a < 0x7f800000u ? 896u : 1792u;  // infinity and NaN have the highest exponent
  return uvec2(a << 29, sign | ((a >> 3) + (bias << 20)));
}

// Of an INT64, to nearest, ties to even.
uvec2 double_of_long(uvec2 a) {
  const uvec2 m = magnitude(a);
  if (m == uvec2(0u)) return m;
  const int top = m.y != 0u ? 32 + findMSB(m.y) : findMSB(m.x);
  const uint surplus = uint(max(top - 52, 0));
  uvec2 whole = top <= 52 ? shift_left(m, uint(52 - top)) : shift_right(m, surplus);
  const uint rest = m.x & ((1u << surplus) - 1u);
  if (2u * rest + (whole.x & 1u) > 1u << surplus) whole = add(whole, uvec2(1u, 0u));
  // The highest bit of `whole` adds 1 to the exponent.
  return uvec2(whole.x, (a.y & 0x80000000u) | (whole.y + (uint(top + 1022) << 20)));
}

// Truncated and saturated; NaN gives 0.
uvec2 long_of(uvec2 a) {
  const int exponent = exponent_of(a);
  if (is_nan(a) || exponent < 0) return uvec2(0u);
  if (exponent >= 63) return is_negative(a) ? uvec2(0u, 0x80000000u) : uvec2(0xffffffffu, 0x7fffffffu);
  const uvec2 m = uvec2(a.x, (a.y & 0xfffffu) | 0x100000u);
  const uvec2 whole =
      exponent < 52 ? shift_right(m, uint(52 - exponent)) : shift_left(m, uint(exponent - 52));
  return is_negative(a) ? negate(whole) : whole;
}

#endif
