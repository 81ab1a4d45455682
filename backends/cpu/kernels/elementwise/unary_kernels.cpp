// Unary elementwise operators (R18). Each operator is a row: the dtypes it is compiled for, and a function
// that makes its formula from the node's parameters.
#include "backends/cpu/base/element.h"
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/base/scalar_arithmetic.h"
#include "backends/cpu/simd/byte_table.h"
#include "backends/cpu/simd/elementwise_loops.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace nnrt::cpu {
namespace {

constexpr int64_t kGrain = 8192;

template <typename From, typename To, typename F>
void map(const KernelArgs& args, F f) {
  const From* from = args.input<From>(0);
  To* to = args.output<To>();
  args.pool.parallel_for(element_count(args.node.shape()).value_or(0), kGrain,
                         [=](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i) to[i] = f(from[i]);
                         });
}

// In blocks, so that the conversions vectorize even if the formula does not.
template <typename Formula>
void map_fp16(const KernelArgs& args, Formula formula) {
  const Half* from = args.input<Half>(0);
  Half* to = args.output<Half>();
  const int64_t count = element_count(args.node.shape()).value_or(0);
  args.pool.parallel_for(count, kGrain, [=](int64_t begin, int64_t end) {
    std::array<float, kFp16Block> wide;
    for (; begin < end; begin += kFp16Block) {
      const int64_t length = std::min(kFp16Block, end - begin);
      widen_block(from + begin, 1, length, wide.data());
      for (size_t i = 0; i < size_t(length); ++i) wide[i] = formula(wide[i]);
      for (int64_t i = 0; i < length; ++i) to[begin + i] = to_half(wide[size_t(i)]);
    }
  });
}

// Quantized operators use a table of 256 values (R12).
template <typename Formula>
void map_quantized(const KernelArgs& args, Formula formula) {
  const DequantizeTable floats = dequantize_table(args.node.input(0));
  const Affine affine = affine_of(args.node.output(0));
  ByteTable quantized{};
  for (size_t byte = 0; byte < quantized.size(); ++byte) {
    const double real = formula(floats[byte]);
    // Only RSQRT can give NaN; it maps to the largest quantized value.
    quantized[byte] =
        uint8_t(quantize<int8_t>(std::isnan(real) ? std::numeric_limits<double>::infinity() : real, affine));
  }
  constexpr int64_t kByteGrain = 1 << 16;
  args.pool.parallel_for(
      element_count(args.node.shape()).value_or(0), kByteGrain, [&](int64_t begin, int64_t end) {
        map_bytes(quantized, args.input<uint8_t>(0) + begin, args.output<uint8_t>() + begin, end - begin);
      });
}

template <typename Dtypes, auto make>
Status unary(const KernelArgs& args) {
  if (args.node.dtype() == DType::f32 && has_float_loop(args.node.op(), args.node.attrs())) {
    args.pool.parallel_for(element_count(args.node.shape()).value_or(0), kGrain,
                           [&](int64_t begin, int64_t end) {
                             float_loop(args.node.op(), args.node.attrs(), args.input<float>(0) + begin,
                                        args.output<float>() + begin, end - begin);
                           });
    return {};
  }
  const auto formula = make(args.node.attrs());
  return dispatch_dtype(Dtypes{}, args.node.dtype(), [&]<typename T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, Half>) {
      map_fp16(args, formula);
    } else {
      map<T, T>(args, [formula](T x) { return narrow<T>(formula(widen(x))); });
    }
  });
}

template <typename Dtypes, auto make>
Status quantizable(const KernelArgs& args) {
  if (!args.node.is_quantized()) return unary<Dtypes, make>(args);
  map_quantized(args, make(args.node.attrs()));
  return {};
}

// Nonzero numbers are true (R10).
Status logical_not(const KernelArgs& args) {
  dispatch_dtype(args.node.dtype(), [&]<typename T>(std::type_identity<T>) {
    map<T, Bool>(args, [](T x) { return narrow<Bool>(widen(x) == PaddedInput<T>(0)); });
  });
  return {};
}

// A formula without parameters.
template <auto formula>
constexpr auto plain = [](const Attrs&) { return formula; };

template <typename T>
T relu6(T x) {
  return apply_activation(Activation::relu6, x);
}

constexpr auto make_gelu = [](const Attrs& attrs) {
  return [approximate = attrs.flag(Attr::approximate)](float x) {
    constexpr float kRootOfHalf = float(std::numbers::sqrt2 / 2);
    constexpr float kRootOfTwoByPi = float(std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
    // erfc keeps the digits that 1 + erf loses for negative x.
    return approximate ? 0.5f * x * (1.0f + std::tanh(kRootOfTwoByPi * (x + 0.044715f * x * x * x)))
                       : 0.5f * x * std::erfc(-x * kRootOfHalf);
  };
};

constexpr auto make_exp = [](const Attrs& attrs) {
  return [base = attrs.real(Attr::base), scale = attrs.real(Attr::scale),
          shift = attrs.real(Attr::shift)]<typename T>(T x) {
    const T exponent = T(shift) + T(scale) * x;
    return base == -1.0 ? std::exp(exponent) : std::pow(T(base), exponent);
  };
};

constexpr auto make_leaky_relu = [](const Attrs& attrs) {
  return [slope = float(attrs.real(Attr::slope))](float x) { return x > 0.0f ? x : slope * x; };
};

constexpr auto make_clip = [](const Attrs& attrs) {
  return [low = float(attrs.real(Attr::min)), high = float(attrs.real(Attr::max))]<typename T>(T x) {
    if constexpr (std::is_integral_v<T>) {
      return std::min(std::max(x, saturate<T>(low)), saturate<T>(high));
    } else {
      return std::min(std::max(x, low), high);
    }
  };
};

using Fp16F32I32 = Types<Half, float, int32_t>;
using SquareTypes = Types<Half, float, double, int32_t>;
using AbsTypes = Types<Half, float, double, int32_t, int64_t, uint64_t>;
using ExactTypes = Types<Half, float, double, int8_t, int16_t, int32_t, int64_t, uint64_t>;
using Integers = Types<int8_t, uint8_t, int16_t, int32_t, int64_t, uint64_t>;

// For x >= 3 the product could overflow.
constexpr auto hswish = []<typename T>(T x) { return x >= 3 ? x : T(x * relu6(x + 3) / 6); };
constexpr auto sigmoid = [](auto x) { return 1 / (1 + std::exp(-x)); };
constexpr auto tanh_of = [](auto x) { return std::tanh(x); };
constexpr auto rsqrt = [](auto x) { return 1 / std::sqrt(x); };
constexpr auto relu = [](auto x) { return apply_activation(Activation::relu, x); };
constexpr auto relu6_of = [](auto x) { return relu6(x); };
constexpr auto square = [](auto x) { return multiply(x, x); };
constexpr auto negative = []<typename T>(T x) { return std::is_integral_v<T> ? subtract(T(0), x) : T(-x); };
constexpr auto sign = []<typename T>(T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x; };  // NaN is kept
constexpr auto inverted_bits = []<typename T>(T x) { return T(~x); };
constexpr auto absolute = []<typename T>(T x) {
  if constexpr (std::is_integral_v<T>) {
    return x < 0 ? subtract(T(0), x) : x;
  } else {
    return std::fabs(x);
  }
};

constexpr KernelRow kUnaryKernels[] = {
    {Op::abs, unary<AbsTypes, plain<absolute>>},
    {Op::bitwise_not, unary<Integers, plain<inverted_bits>>},
    {Op::ceil, unary<Fp16F32F64, plain<[](auto x) { return std::ceil(x); }>>},
    {Op::clip, unary<Fp16F32I32, make_clip>},
    {Op::cos, unary<Fp16F32F64, plain<[](auto x) { return std::cos(x); }>>},
    {Op::erf, unary<Fp16AndF32, plain<[](float x) { return std::erf(x); }>>},
    {Op::exp, unary<Fp16F32F64, make_exp>},
    {Op::floor, unary<Fp16F32F64, plain<[](auto x) { return std::floor(x); }>>},
    {Op::gelu, unary<Fp16AndF32, make_gelu>},
    {Op::hard_sigmoid, unary<Fp16AndF32, plain<[](float x) { return relu6(x + 3) / 6; }>>},
    {Op::hswish, quantizable<Fp16AndF32, plain<hswish>>},
    {Op::leaky_relu, unary<Fp16AndF32, make_leaky_relu>},
    {Op::log, unary<Fp16F32F64, plain<[](auto x) { return std::log(x); }>>},
    {Op::logical_not, logical_not},
    {Op::neg, unary<ExactTypes, plain<negative>>},
    {Op::reciprocal, unary<Fp16F32F64, plain<[](auto x) { return 1 / x; }>>},
    {Op::relu, quantizable<Fp16F32I32, plain<relu>>},
    {Op::relu6, quantizable<Fp16AndF32, plain<relu6_of>>},
    {Op::round, unary<Fp16F32F64, plain<[](auto x) { return std::round(x); }>>},
    {Op::round_half_even, unary<Fp16F32F64, plain<[](auto x) { return std::nearbyint(x); }>>},
    {Op::rsqrt, quantizable<Fp16AndF32, plain<rsqrt>>},
    {Op::sigmoid, quantizable<Fp16AndF32, plain<sigmoid>>},
    {Op::sign, unary<ExactTypes, plain<sign>>},
    {Op::sin, unary<Fp16F32F64, plain<[](auto x) { return std::sin(x); }>>},
    {Op::sqrt, unary<Fp16F32F64, plain<[](auto x) { return std::sqrt(x); }>>},
    {Op::square, unary<SquareTypes, plain<square>>},
    {Op::swish, unary<Fp16AndF32, plain<[](float x) { return x / (1 + std::exp(-x)); }>>},
    {Op::tanh, quantizable<Fp16AndF32, plain<tanh_of>>},
};

}  // namespace

std::span<const KernelRow> unary_kernels() { return kUnaryKernels; }

}  // namespace nnrt::cpu
