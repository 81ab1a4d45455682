// Functions whose accuracy, range and handling of infinity and NaN do not depend on the driver. Vulkan
// guarantees little for sin, cos, pow and log, and nothing for NaN in min, max and isnan. Drivers that unroll
// a loop may lose `precise` in the copies and then fold constants, so don't round by adding and subtracting
// constants, and don't rely on a difference being 0.
#ifndef NNRT_FLOAT_MATH
#define NNRT_FLOAT_MATH

#define INFINITE uintBitsToFloat(0x7f800000u)
#define NAN uintBitsToFloat(0x7fc00000u)

bool is_nan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
bool is_infinite(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u; }
bool is_finite(float x) { return (floatBitsToUint(x) & 0x7fffffffu) < 0x7f800000u; }
bool is_negative(float x) { return floatBitsToUint(x) >> 31 != 0u; }
float with_sign_of(float magnitude, float sign) {
  return uintBitsToFloat((floatBitsToUint(magnitude) & 0x7fffffffu) | (floatBitsToUint(sign) & 0x80000000u));
}

// R13: MAXIMUM and MINIMUM propagate NaN.
float maximum(float a, float b) { return is_nan(a) ? a : is_nan(b) ? b : a > b ? a : b; }
float minimum(float a, float b) { return is_nan(a) ? a : is_nan(b) ? b : a < b ? a : b; }

// Returns NaN for NaN, whatever `result` is. A select, because branches are slow on the software drivers.
float keep_nan(float x, float result) { return mix(result, x, is_nan(x)); }

// e^x for -87 <= x <= 88.72, as 2^n * e^r with |r| <= ln(2) / 2; the polynomial is that of Cephes' expf,
// accurate to 2e-7. Arguments outside are clamped.
float exp_within(float x) {
  const float inside = min(max(x, -87.0), 88.72);
  const float n = floor(inside * 1.44269504 + 0.5);
  precise const float r = (inside - n * 0.693359375) + n * 2.12194440e-4;
  const float tail =
      0.5 +
      r * (0.166666655 + r * (4.16657959e-2 + r * (8.33345191e-3 + r * (1.39819995e-3 + r * 1.98756915e-4))));
  return intBitsToFloat(floatBitsToInt(1.0 + (r + r * r * tail)) + (int(n) << 23));
}

float exp_of(float x) {
  // Computes subnormal results in two steps.
  const bool tiny = x < -80.0;
  const float e = exp_within(mix(x, x + 40.0, tiny)) * (tiny ? 4.24835426e-18 : 1.0);
  const float result = mix(e, 0.0, x < -104.0);
  return keep_nan(x, mix(result, INFINITE, x > 88.73));
}

// log(m * 2^e) with m in [sqrt(1/2), sqrt(2)), by the atanh series.
float log_of(float x) {
  if (is_nan(x) || x < 0.0) return NAN;
  if (x == 0.0) return -INFINITE;
  if (is_infinite(x)) return x;
  const bool subnormal = x < 1.17549435e-38;
  const uint bits = floatBitsToUint(subnormal ? x * 16777216.0 : x);
  const uint shifted = bits - 0x3f3504f3u;
  const float e = float(int(shifted) >> 23) - (subnormal ? 24.0 : 0.0);
  const float f = uintBitsToFloat((shifted & 0x7fffffu) + 0x3f3504f3u) - 1.0;
  const float s = f / (2.0 + f);
  const float z = s * s;
  const float series = z * (1.0 / 3.0 + z * (1.0 / 5.0 + z * (1.0 / 7.0 + z * (1.0 / 9.0))));
  return e * 0.693147181 + 2.0 * (s + s * series);
}

// 1 / (1 + e^-x), with e^-x = 2^n * p(-r) / p(r) and |r| <= ln(2) / 2: the rational function is accurate to
// 1e-8 and needs only the one division. Within 3 ULP; 0 for subnormal results, because 2^n is then infinite.
// Comparisons keep NaN.
float sigmoid(float x) {
  const float above = mix(x, -89.0, x < -89.0);
  const float inside = mix(above, 87.0, above > 87.0);
  const float n = floor(inside * -1.44269504 + 0.5);
  precise const float r = (inside + n * 0.693359375) - n * 2.12194440e-4;
  const float even = 1.0 + r * r * 0.1;
  const float odd = r * (0.5 + r * r * (1.0 / 120.0));
  const float power = intBitsToFloat((int(n) << 23) + 0x3f800000);
  return (even + odd) / ((even + odd) + power * (even - odd));
}

float tanh_of(float x) {
  const float z = x * x;
  const float series = x - x * z * (1.0 / 3.0 - z * (2.0 / 15.0 - z * (17.0 / 315.0 - z * (62.0 / 2835.0))));
  const float t = exp_within(-2.0 * abs(x));
  return keep_nan(x, mix(with_sign_of((1.0 - t) / (1.0 + t), x), series, z < 0.09));
}

// erfc for x >= 0: Abramowitz and Stegun 7.1.26, accurate to 1.5e-7.
float erfc_of(float x) {
  const float t = 1.0 / (1.0 + 0.3275911 * x);
  const float p =
      t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return p * exp_within(-x * x);
}

// Uses the series below 1/2.
float erf_of(float x) {
  const float a = abs(x);
  const float z = x * x;
  const float tail = z * (1.0 / 10.0 - z * (1.0 / 42.0 - z * (1.0 / 216.0 - z * (1.0 / 1320.0))));
  const float series = x * 1.128379167 * (1.0 - z * (1.0 / 3.0) + z * tail);
  return keep_nan(x, mix(with_sign_of(1.0 - erfc_of(a), x), series, a < 0.5));
}

// x = quadrant * pi / 2 + result, with the result in [-pi/4, pi/4]. pi / 2 is split into three parts whose
// products with the quadrant are exact for |x| up to 10,000.
float reduce_quadrant(float x, out uint quadrant) {
  precise float q = floor(x * 0.636619772 + 0.5);
  precise float r = x - q * 1.5703125;
  r = r - q * 4.837512969970703125e-4;
  r = r - q * 7.549790126e-8;
  quadrant = uint(q - 4.0 * floor(q * 0.25)) & 3u;
  return clamp(r, -0.7854, 0.7854);
}

float sin_of_quadrant(float x, uint turns) {
  if (!is_finite(x)) return NAN;
  uint quadrant;
  const float r = reduce_quadrant(x, quadrant);
  quadrant = (quadrant + turns) & 3u;
  const float z = r * r;
  const float s = r - r * z * (1.0 / 6.0 - z * (1.0 / 120.0 - z * (1.0 / 5040.0 - z * (1.0 / 362880.0))));
  const float c = 1.0 - z * (0.5 - z * (1.0 / 24.0 - z * (1.0 / 720.0 - z * (1.0 / 40320.0))));
  const float v = (quadrant & 1u) == 0u ? s : c;
  return quadrant >= 2u ? -v : v;
}
float sin_of(float x) { return sin_of_quadrant(x, 0u); }
float cos_of(float x) { return sin_of_quadrant(x, 1u); }

// Rounds exactly to nearest, ties away from zero. Beyond 2^23 every float is an integer.
float round_away(float x) {
  const float a = abs(x);
  if (!is_finite(x) || a >= 8388608.0) return x;
  const float whole = floor(a);
  return with_sign_of(a - whole >= 0.5 ? whole + 1.0 : whole, x);
}

// Rounds exactly to nearest, ties to even.
float round_half_even(float x) {
  return is_finite(x) && abs(x) < 8388608.0 ? with_sign_of(roundEven(abs(x)), x) : x;
}

bool is_integral(float y) { return is_finite(y) && floor(y) == y; }
bool is_odd(float y) { return abs(y) < 16777216.0 && is_integral(y) && (int(y) & 1) != 0; }

// x^n for integer |n| <= 64 by squaring: exact if the result is.
float whole_power(float x, int n) {
  float result = 1.0;
  float square = x;
  for (uint rest = uint(abs(n)); rest != 0u; rest >>= 1) {
    if ((rest & 1u) != 0u) result *= square;
    square *= square;
  }
  if (n >= 0) return result;
  return is_infinite(result) ? 0.0 : 1.0 / result;
}

// C's pow.
float pow_of(float x, float y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (is_nan(x) || is_nan(y)) return NAN;
  const float a = abs(x);
  if (a == 1.0) return is_odd(y) ? x : is_integral(y) || is_infinite(y) ? 1.0 : NAN;
  if (x < 0.0 && is_finite(x) && is_finite(y) && !is_integral(y)) return NAN;
  float magnitude;
  if (a == 0.0 || is_infinite(a) || is_infinite(y)) {
    magnitude = (a > 1.0) == (y > 0.0) ? INFINITE : 0.0;
  } else if (is_integral(y) && abs(y) <= 64.0) {
    magnitude = whole_power(a, int(y));
  } else {
    magnitude = exp_of(y * log_of(a));
  }
  return is_negative(x) && is_odd(y) ? -magnitude : magnitude;
}

// `v` in [-limit, limit]; any `v` if `limit` is 0. Keeps NaN, for which the result of clamp() is undefined.
float limited(float v, float limit) {
  if (limit == 0.0) return v;
  return v > limit ? limit : v < -limit ? -limit : v;
}

// The upper 12 bits of a float's mantissa. The rest has 12 bits as well, so products are exact.
float high_part(float x) { return uintBitsToFloat(floatBitsToUint(x) & 0xfffff000u); }

// a / b rounded to nearest, since drivers may be off by 2.5 ULP. Large quotients and NaN are left as they
// are.
float nearest_quotient(float a, float b) {
  const float q = a / b;
  if (!(abs(q) < 4096.0)) return q;
  const float q0 = high_part(q), b0 = high_part(b);
  precise const float q1 = q - q0, b1 = b - b0;
  precise const float rest = ((a - q0 * b0) - q0 * b1 - q1 * b0) - q1 * b1;
  precise const float better = q + rest / b;
  return better;
}

// Quantizes to INT8 (R12). A negative scale selects ties to even. NaN gives the zero point.
int quantize(float real, float scale, int zero_point) {
  const float steps = clamp(is_nan(real) ? 0.0 : nearest_quotient(real, abs(scale)), -1024.0, 1024.0);
  return clamp(int(scale < 0.0 ? roundEven(steps) : round_away(steps)) + zero_point, -128, 127);
}

#endif
