#include "backends/cpu/kernels/elementwise/int8_add.h"

#include "backends/cpu/base/element.h"
#include "backends/cpu/simd/int8_rounding.h"
#include "backends/cpu/simd/simd.h"

#include <limits>

namespace nnrt::cpu {
namespace {

// code = zero_point + round(a * of_a + b * of_b + constant), in [low, high].
struct FastSum {
  float of_a, of_b, constant;
  float margin;     // results this close to a tie may round the wrong way
  float low, high;  // without the zero point
  int32_t zero_point;
};

// Matches dequantize(), the activation and quantize() exactly.
struct ExactSum {
  Affine a, b, to;
  double low, high;  // bounds of the activation
};

struct QuantizedSum {
  FastSum fast;
  ExactSum exact;
};

double reach(const NodeView& node) {
  const double to = affine_of(node.output(0)).scale;
  return 256 * (affine_of(node.input(0)).scale + affine_of(node.input(1)).scale) / to;
}

QuantizedSum quantized_sum(const NodeView& node) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Affine a = affine_of(node.input(0)), b = affine_of(node.input(1)), to = affine_of(node.output(0));
  const Activation activation = activation_of(node.attrs());
  QuantizedSum sum{};
  sum.exact = {a, b, to, activation == Activation::none ? -kInfinity : 0,
               activation == Activation::relu6 ? 6 : kInfinity};
  FastSum& fast = sum.fast;
  fast.of_a = float(a.scale / to.scale);
  fast.of_b = float(b.scale / to.scale);
  fast.constant = float(-(a.zero_point * a.scale + b.zero_point * b.scale) / to.scale);
  // Three factors and four operations each have an error of half a ULP.
  constexpr double kErrors = 8, kUnit = 1.2e-7;
  fast.margin = float(kErrors * kUnit / 2 * reach(node));
  const int32_t low = activation == Activation::none ? -128 : quantize<int8_t>(0, to);
  const int32_t high = activation == Activation::relu6 ? quantize<int8_t>(6, to) : 127;
  fast.low = float(low - to.zero_point);
  fast.high = float(high - to.zero_point);
  fast.zero_point = to.zero_point;
  return sum;
}

void add_exactly(const ExactSum& sum, const int8_t* a, const int8_t* b, int64_t count, int8_t* to) {
  for (int64_t i = 0; i < count; ++i) {
    const double real = dequantize(a[i], sum.a) + dequantize(b[i], sum.b);
    to[i] = quantize<int8_t>(real < sum.low ? sum.low : real > sum.high ? sum.high : real, sum.to);
  }
}

#if defined(__x86_64__)
constexpr int64_t kLanes = 16;

[[NNRT_TARGET_AVX512, gnu::always_inline]] inline __m512i add_fast(const FastSum& sum, __m512i a, __m512i b,
                                                                   __mmask16& unsure) {
  const __m512 products = _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(a), _mm512_set1_ps(sum.of_a)),
                                        _mm512_mul_ps(_mm512_cvtepi32_ps(b), _mm512_set1_ps(sum.of_b)));
  const __m512i quantized =
      round_to_quantized(_mm512_add_ps(products, _mm512_set1_ps(sum.constant)), _mm512_set1_ps(sum.low),
                         _mm512_set1_ps(sum.high), _mm512_set1_ps(0.5f - sum.margin), unsure);
  return _mm512_add_epi32(quantized, _mm512_set1_epi32(sum.zero_point));
}

[[NNRT_TARGET_AVX512, gnu::always_inline]] inline __m512d dequantized(__m256i quantized, Affine affine) {
  const __m256i steps = _mm256_sub_epi32(quantized, _mm256_set1_epi32(affine.zero_point));
  return _mm512_mul_pd(_mm512_cvtepi32_pd(steps), _mm512_set1_pd(affine.scale));
}

[[NNRT_TARGET_AVX512, gnu::always_inline]] inline __m512d set(double x) { return _mm512_set1_pd(x); }

// Half the lanes.
[[NNRT_TARGET_AVX512, gnu::always_inline]] inline __m256i add_exact(const ExactSum& sum, __m256i a,
                                                                    __m256i b) {
  constexpr double kFar = 1024;  // beyond every quantized value for any zero point
  constexpr double kJustBelowHalf = 0.49999999999999994;
  const __m256i zero_point = _mm256_set1_epi32(sum.to.zero_point);
  __m512d real = _mm512_add_pd(dequantized(a, sum.a), dequantized(b, sum.b));
  real = _mm512_min_pd(_mm512_max_pd(real, set(sum.low)), set(sum.high));
  __m512d value = _mm512_div_pd(real, set(sum.to.scale));
  value = _mm512_min_pd(_mm512_max_pd(value, set(-kFar)), set(kFar));
  if (sum.to.ties_to_even) return _mm256_add_epi32(_mm256_cvtps_epi32(_mm512_cvtpd_ps(value)), zero_point);
  const __m512d sign = _mm512_and_pd(value, set(-0.0));
  const __m512d raised = _mm512_add_pd(value, _mm512_or_pd(sign, set(kJustBelowHalf)));
  return _mm256_add_epi32(_mm512_cvttpd_epi32(raised), zero_point);
}

[[NNRT_TARGET_AVX512]] void add_wide(const QuantizedSum& sum, const int8_t* a, const int8_t* b, int64_t count,
                                     int8_t* to) {
  for (; count > 0; a += kLanes, b += kLanes, to += kLanes, count -= kLanes) {
    const __mmask16 lanes = first_lanes(count);
    const __m512i quantized_a = _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(lanes, a));
    const __m512i quantized_b = _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(lanes, b));
    __mmask16 unsure = 0;
    __m512i quantized = add_fast(sum.fast, quantized_a, quantized_b, unsure);
    if ((unsure & lanes) != 0) {
      const __m256i low =
          add_exact(sum.exact, _mm512_castsi512_si256(quantized_a), _mm512_castsi512_si256(quantized_b));
      const __m256i high = add_exact(sum.exact, _mm512_extracti64x4_epi64(quantized_a, 1),
                                     _mm512_extracti64x4_epi64(quantized_b, 1));
      quantized = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    }
    _mm_mask_storeu_epi8(to, lanes, _mm512_cvtsepi32_epi8(quantized));
  }
}
#endif

void add(const QuantizedSum& sum, const int8_t* a, const int8_t* b, int64_t count, int8_t* to) {
#if defined(__x86_64__)
  if (vector_bytes() == 64) return add_wide(sum, a, b, count, to);
#endif
  add_exactly(sum.exact, a, b, count, to);
}

}  // namespace

bool supports_int8_add(const NodeView& node) {
  constexpr double kFar = 8192;  // floats still separate ties from their neighbors
  for (size_t i = 0; i < 2; ++i) {
    const Tensor& tensor = node.input(i);
    if (tensor.dtype != DType::i8 || tensor.quant.scales.size() != 1) return false;
    if (node.shape(i) != node.output_shape()) return false;
  }
  return node.output(0).dtype == DType::i8 && node.output(0).quant.scales.size() == 1 && reach(node) < kFar;
}

Status int8_add(const KernelArgs& args) {
  constexpr int64_t kGrain = 1 << 15;
  const QuantizedSum sum = quantized_sum(args.node);
  args.pool.parallel_for(element_count(args.node.output_shape()).value_or(0), kGrain,
                         [&](int64_t begin, int64_t end) {
                           add(sum, args.input<int8_t>(0) + begin, args.input<int8_t>(1) + begin, end - begin,
                               args.output<int8_t>() + begin);
                         });
  return {};
}

}  // namespace nnrt::cpu
