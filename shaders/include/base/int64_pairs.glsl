// INT64 as two words, low word first, because devices need not support it.
#ifndef NNRT_INT64
#define NNRT_INT64

uvec2 add(uvec2 a, uvec2 b) {
  uint carry;
  const uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}
uvec2 negate(uvec2 a) { return add(~a, uvec2(1u, 0u)); }
uvec2 subtract(uvec2 a, uvec2 b) { return add(a, negate(b)); }

uvec2 multiply(uvec2 a, uvec2 b) {
  uint high, low;
  umulExtended(a.x, b.x, high, low);
  return uvec2(low, high + a.x * b.y + a.y * b.x);
}

// `by` must be below 64.
uvec2 shift_left(uvec2 a, uint by) {
  if (by >= 32u) return uvec2(0u, a.x << (by - 32u));
  return by == 0u ? a : uvec2(a.x << by, a.y << by | a.x >> (32u - by));
}
uvec2 shift_right(uvec2 a, uint by) {
  if (by >= 32u) return uvec2(a.y >> (by - 32u), 0u);
  return by == 0u ? a : uvec2(a.x >> by | a.y << (32u - by), a.y >> by);
}

bool is_negative(uvec2 a) { return int(a.y) < 0; }
bool is_below(uvec2 a, uvec2 b) { return a.y != b.y ? int(a.y) < int(b.y) : a.x < b.x; }
uvec2 larger(uvec2 a, uvec2 b) { return is_below(a, b) ? b : a; }
uvec2 smaller(uvec2 a, uvec2 b) { return is_below(b, a) ? b : a; }
uvec2 magnitude(uvec2 a) { return is_negative(a) ? negate(a) : a; }

// Rounds to nearest even; if `by` is 64 or more, a must be below 2^63.
uvec2 shift_right_nearest(uvec2 a, uint by) {
  if (by == 0u || by >= 64u) return by == 0u ? a : uvec2(0u);
  const uvec2 whole = shift_right(a, by);
  const uvec2 rest = subtract(a, shift_left(whole, by));
  const uvec2 half_unit = shift_left(uvec2(1u, 0u), by - 1u);
  const bool up = is_below(half_unit, rest) || (rest == half_unit && (whole.x & 1u) != 0u);
  return up ? add(whole, uvec2(1u, 0u)) : whole;
}

// The index of the highest set bit; -1 for 0.
int highest_bit(uvec2 a) { return a.y != 0u ? 32 + findMSB(a.y) : findMSB(a.x); }

// Truncating division; by 0 gives 0, and INT64_MIN / -1 gives INT64_MIN.
uvec2 divide(uvec2 a, uvec2 b) {
  if (b == uvec2(0u)) return b;
  uvec2 rest = uvec2(0u);
  uvec2 quotient = magnitude(a);
  const uvec2 divisor = magnitude(b);
  for (uint bit = 0u; bit < 64u; ++bit) {
    const bool over = is_negative(rest);
    rest = shift_left(rest, 1u) | uvec2(quotient.y >> 31, 0u);
    quotient = shift_left(quotient, 1u);
    const bool less = rest.y != divisor.y ? rest.y < divisor.y : rest.x < divisor.x;
    if (over || !less) {
      rest = subtract(rest, divisor);
      quotient.x |= 1u;
    }
  }
  return is_negative(a) != is_negative(b) ? negate(quotient) : quotient;
}

#endif
