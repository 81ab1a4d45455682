// Requantization of exact integer sums (R12). Results are steps: codes without the zero point, as floats. A
// FLOAT32 product is not accurate enough close to a tie, where integer arithmetic decides which side it is
// on, so that results are those of the CPU's doubles. Factors come from
// backends/vulkan/lower/elementwise/requantization.h.
#ifndef NNRT_REQUANTIZE
#define NNRT_REQUANTIZE

// `digits` are bits 12 to 42 behind the binary point of the factor, encoded as a normal float. Close to a
// tie, which is a multiple of 2^-12, the top bit of their product with the sum is set below the tie. Ties go
// away from zero.
const uint kDigitsOffset = 1u << 23;
const float kClose = 6.1035156e-5;  // beyond the error of the product, and less than 2^-13

// `sum` is an integer, as a float or as such.
#define REQUANTIZED(SUM, REAL, INT, UINT, BOOL)                                                    \
  REAL requantized(SUM sum, REAL factor, REAL digits) {                                            \
    const SUM size = abs(sum);                                                                     \
    const REAL product = REAL(size) * factor, whole = floor(product);                              \
    const REAL behind = product - whole - 0.5;                                                     \
    const UINT exact = UINT(INT(size)) * ((floatBitsToUint(digits) - kDigitsOffset) << 2);         \
    const BOOL is_close = IS_LESS(abs(behind), REAL(kClose));                                      \
    const BOOL is_above = mix(IS_LESS(REAL(0.0), behind), IS_LESS(INT(-1), INT(exact)), is_close); \
    return WITH_SIGN(whole + mix(REAL(0.0), REAL(1.0), is_above), REAL(sum));                      \
  }

// Ties to even, in FLOAT32 as in ONNX.
#define REQUANTIZED_TO_EVEN(REAL)                                       \
  REAL requantized_to_even(REAL sum, REAL factor) {                     \
    return roundEven(clamp(sum * factor, REAL(-1024.0), REAL(1024.0))); \
  }

// Rounds left * high.x + right * high.y, plus the same with `low`. The first sum is exact.
#define SUM_OF_STEPS(REAL, BOOL)                                                   \
  REAL sum_of_steps(REAL left, REAL right, vec2 high, vec2 low, bool to_even) {    \
    const REAL sum = left * high.x + right * high.y;                               \
    const REAL rest = left * low.x + right * low.y;                                \
    if (to_even) return roundEven(sum + rest);                                     \
    const REAL size = abs(sum), whole = floor(size);                               \
    const BOOL is_below = IS_LESS(size - whole + WITH_SIGN(rest, sum), REAL(0.5)); \
    return WITH_SIGN(whole + mix(REAL(1.0), REAL(0.0), is_below), sum);            \
  }

#define WITH_SIGN(value, from) uintBitsToFloat(floatBitsToUint(value) ^ (floatBitsToUint(from) & 0x80000000u))

#define IS_LESS(a, b) ((a) < (b))
REQUANTIZED(float, float, int, uint, bool)
REQUANTIZED(int, float, int, uint, bool)
REQUANTIZED_TO_EVEN(float)
SUM_OF_STEPS(float, bool)
#undef IS_LESS
#define IS_LESS(a, b) lessThan(a, b)
REQUANTIZED(vec4, vec4, ivec4, uvec4, bvec4)
REQUANTIZED_TO_EVEN(vec4)
SUM_OF_STEPS(vec4, bvec4)
#undef IS_LESS
#undef WITH_SIGN

#endif
