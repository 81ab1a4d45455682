// INT64 as two words, the low one first, for devices need not have it.
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

bool is_negative(uvec2 a) { return int(a.y) < 0; }
bool is_below(uvec2 a, uvec2 b) { return a.y != b.y ? int(a.y) < int(b.y) : a.x < b.x; }
uvec2 magnitude(uvec2 a) { return is_negative(a) ? negate(a) : a; }

// Truncated; by 0 it gives 0, and the lowest integer by -1 itself.
uvec2 divide(uvec2 a, uvec2 b) {
  if (b == uvec2(0u)) return b;
  uvec2 rest = uvec2(0u);
  uvec2 quotient = magnitude(a);
  const uvec2 divisor = magnitude(b);
  for (uint bit = 0u; bit < 64u; ++bit) {
    const bool over = is_negative(rest);
    rest = uvec2(rest.x << 1 | quotient.y >> 31, rest.y << 1 | rest.x >> 31);
    quotient = uvec2(quotient.x << 1, quotient.y << 1 | quotient.x >> 31);
    const bool less = rest.y != divisor.y ? rest.y < divisor.y : rest.x < divisor.x;
    if (over || !less) {
      rest = subtract(rest, divisor);
      quotient.x |= 1u;
    }
  }
  return is_negative(a) != is_negative(b) ? negate(quotient) : quotient;
}

#endif
