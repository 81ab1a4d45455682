// The correctly rounded quotient, for numbers that select cells. Drivers may compute a / b as a * (1 / b), or
// be off by 2.5 ULP.
#ifndef NNRT_EXACT_QUOTIENT
#define NNRT_EXACT_QUOTIENT

// Corrects the driver's quotient of the mantissas in integers, which no optimization changes. Subnormal,
// infinite and NaN operands and results are left to the driver.
float exact_quotient(float a, float b) {
  const uint a_bits = floatBitsToUint(a), b_bits = floatBitsToUint(b);
  const int a_exponent = int(a_bits >> 23 & 255u), b_exponent = int(b_bits >> 23 & 255u);
  const uint mantissa = (a_bits & 0x7fffffu) | 0x800000u;
  const int divisor = int((b_bits & 0x7fffffu) | 0x800000u);
  // The quotient of the mantissas times 2^digits has 24 bits.
  const int digits = mantissa < uint(divisor) ? 24 : 23;
  const int exponent = a_exponent - b_exponent + 150 - digits;
  const bool is_normal = min(a_exponent, b_exponent) > 0 && max(a_exponent, b_exponent) < 255;
  if (!is_normal || exponent < 1 || exponent > 254) return a / b;
  int quotient = int(float(mantissa) / float(divisor) * float(1 << digits));
  // The remainder is within a few divisors, so its low 32 bits suffice.
  int rest = int((mantissa << digits) - uint(quotient) * uint(divisor));
  const int off = rest < 0 ? -((divisor - 1 - rest) / divisor) : rest / divisor;
  quotient += off;
  rest -= off * divisor;
  if (2 * rest > divisor) quotient += 1;  // exact ties cannot occur
  return uintBitsToFloat(((a_bits ^ b_bits) & 0x80000000u) | uint((exponent << 23) + (quotient - 0x800000)));
}

#endif
