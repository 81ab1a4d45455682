// FLOAT64 as two words, low word first, because devices need not support it.
#ifndef NNRT_FLOAT64
#define NNRT_FLOAT64
#include "base/float_math.glsl"
#include "base/int64_pairs.glsl"

bool is_nan(uvec2 a) { return (a.y & 0x7fffffffu) + (a.x != 0u ? 1u : 0u) > 0x7ff00000u; }

uvec2 positive(uvec2 a) { return uvec2(a.x, a.y & 0x7fffffffu); }

// An INT64 with the order of the numbers; both zeros become 0.
uvec2 order_of(uvec2 a) { return is_negative(a) ? negate(positive(a)) : a; }

int exponent_of(uvec2 a) { return int(a.y >> 20 & 0x7ffu) - 1023; }

// The mask of fraction bits for an exponent of 0 to 51.
uvec2 fraction_bits(int exponent) { return shift_right(uvec2(0xffffffffu, 0xfffffu), uint(exponent)); }

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
// Rounds to nearest, ties away from 0.
uvec2 round_of(uvec2 a) {
  const int exponent = exponent_of(a);
  if (exponent >= 52 || exponent < -1) return truncate(a);
  return exponent == -1 || (shift_right(a, uint(51 - exponent)).x & 1u) != 0u ? away(a) : truncate(a);
}
// Rounds to nearest, ties to even: the bits above the fraction are odd with the integer part.
uvec2 round_half_even_of(uvec2 a) {
  const int exponent = exponent_of(a);
  if (exponent >= 52 || exponent < -1) return truncate(a);
  const uvec2 size = positive(a);
  if (exponent == -1) return size == uvec2(0u, 0x3fe00000u) ? truncate(a) : away(a);
  const uint digits = uint(52 - exponent);
  return shift_left(shift_right_nearest(size, digits), digits) | uvec2(0u, a.y & 0x80000000u);
}

// Converts a positive number to a narrower format, to nearest even. `bias`: difference of the exponent
// biases; `digits`: mantissa bits to drop.
uint narrowed(uvec2 a, int bias, uint digits, uint infinity) {
  if (is_nan(a)) return infinity | 1u << (51u - digits);
  const int exponent = exponent_of(a) + 1023 - bias;
  if (exponent >= 1) {
    a.y -= uint(bias) << 20;
  } else {  // subnormal in the narrow format
    a.y = (a.y & 0xfffffu) | 0x100000u;
    digits += uint(1 - exponent);
  }
  const uvec2 rounded = shift_right_nearest(a, digits);
  return rounded.y != 0u ? infinity : min(rounded.x, infinity);
}
uint float_bits(uvec2 a) { return narrowed(positive(a), 896, 29u, 0x7f800000u) | (a.y & 0x80000000u); }
uint fp16_bits(uvec2 a) { return narrowed(positive(a), 1008, 42u, 0x7c00u) | (a.y >> 16 & 0x8000u); }
float float_of(uvec2 a) { return uintBitsToFloat(float_bits(a)); }

// Converts an unsigned integer to a float format, to nearest even; a carry increments the exponent.
uvec2 real_bits(uvec2 a, int digits, int bias) {
  const int top = highest_bit(a);
  if (top < 0) return a;
  const int surplus = top + 1 - digits;
  const uvec2 significand =
      surplus < 0 ? shift_left(a, uint(-surplus)) : shift_right_nearest(a, uint(surplus));
  return add(shift_left(uvec2(uint(bias + top - 1), 0u), uint(digits - 1)), significand);
}

// Converts FLOAT32 bits; exact.
uvec2 double_of_bits(uint bits) {
  const uint sign = bits & 0x80000000u;
  const uint a = bits & 0x7fffffffu;
  if (a < 0x800000u) return real_bits(uvec2(a, 0u), 53, 1023 - 149) | uvec2(0u, sign);
  const uint bias = a < 0x7f800000u ? 896u : 1792u;  // infinity and NaN keep the largest exponent
  return uvec2(a << 29, sign | ((a >> 3) + (bias << 20)));
}
uvec2 double_of(float v) { return double_of_bits(floatBitsToUint(v)); }

// Converts from INT64.
uvec2 double_of_long(uvec2 a) { return real_bits(magnitude(a), 53, 1023) | uvec2(0u, a.y & 0x80000000u); }
uint float_bits_of_long(uvec2 a) { return real_bits(magnitude(a), 24, 127).x | (a.y & 0x80000000u); }

// Truncates and saturates; NaN gives 0.
uvec2 long_of(uvec2 a) {
  const int exponent = exponent_of(a);
  if (is_nan(a) || exponent < 0) return uvec2(0u);
  if (exponent >= 63) return is_negative(a) ? uvec2(0u, 0x80000000u) : uvec2(0xffffffffu, 0x7fffffffu);
  const uvec2 m = uvec2(a.x, (a.y & 0xfffffu) | 0x100000u);
  const uvec2 whole =
      exponent < 52 ? shift_right(m, uint(52 - exponent)) : shift_left(m, uint(exponent - 52));
  return is_negative(a) ? negate(whole) : whole;
}

// The 53-bit mantissa of a positive number, and its exponent.
uvec2 digits_of(uvec2 a, out int exponent) {
  exponent = exponent_of(a);
  if (exponent > -1023) return uvec2(a.x, (a.y & 0xfffffu) | 0x100000u);
  const int zeros = 52 - highest_bit(a);
  exponent = -1022 - zeros;
  return shift_left(a, uint(zeros));
}

// C's fmod, exact: a long division bit by bit.
uvec2 remainder(uvec2 u, uvec2 v) {
  const uvec2 a = positive(u);
  const uvec2 b = positive(v);
  if (b == uvec2(0u) || exponent_of(a) == 1024 || is_nan(b)) return uvec2(0u, 0x7ff80000u);
  if (is_below(a, b)) return u;
  int exponent, last;
  uvec2 rest = digits_of(a, exponent);
  const uvec2 divisor = digits_of(b, last);
  for (;; --exponent) {
    if (!is_below(rest, divisor)) rest = subtract(rest, divisor);
    if (exponent == last) break;
    rest = shift_left(rest, 1u);
  }
  const uvec2 sign = uvec2(0u, u.y & 0x80000000u);
  if (rest == uvec2(0u)) return sign;
  const int zeros = 52 - highest_bit(rest);
  rest = shift_left(rest, uint(zeros));
  const int stored = last - zeros + 1023;  // below 1: subnormal
  if (stored < 1) return sign | shift_right(rest, uint(1 - stored));
  return sign | add(rest, uvec2(0u, uint(stored - 1) << 20));
}

#endif
