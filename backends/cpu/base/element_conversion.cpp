#include "backends/cpu/base/element_conversion.h"

#include "backends/cpu/simd/half_vectors.h"

#include <limits>

namespace nnrt::cpu {
namespace {

constexpr int64_t kGrain = 16384;

// Vectorizes, unlike saturate().
template <typename To>
void narrow_floats(const float* from, To* to, int64_t count) {
  constexpr float kLow = std::numeric_limits<To>::min(), kHigh = std::numeric_limits<To>::max();
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        // Stores of bytes may alias captured variables, but not these.
        const float* const x = from;
        To* const y = to;
        const int64_t values = count;
        for (int64_t i = 0; i < values; ++i) {
          float value = x[i] > kLow ? x[i] : kLow;
          value = value < kHigh ? value : kHigh;
          y[i] = To(int32_t(x[i] == x[i] ? value : 0.0f));
        }
      });
}

void widen_halves(const Half* from, float* to, int64_t count) {
  const auto widen_some = [ from, to, count ](auto bytes) __attribute__((always_inline)) {
    constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) store<bytes>(to + i, load_halves<bytes>(&from[i].bits));
    for (; i < count; ++i) to[i] = to_float(from[i]);
  };
  with_vectors(vector_bytes(), widen_some);
}

void narrow_to_halves(const float* from, Half* to, int64_t count) {
  const auto narrow_some = [ from, to, count ](auto bytes) __attribute__((always_inline)) {
    constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) store_halves<bytes>(&to[i].bits, load<bytes>(from + i));
    for (; i < count; ++i) to[i] = to_half(from[i]);
  };
  with_vectors(vector_bytes(), narrow_some);
}

template <typename From, typename To>
void convert_elements(const std::byte* source, std::byte* target, int64_t count) {
  const From* x = reinterpret_cast<const From*>(source);
  To* y = reinterpret_cast<To*>(target);
  if constexpr (std::is_same_v<From, float> && std::is_integral_v<To> && sizeof(To) == 1) {
    narrow_floats(x, y, count);
  } else if constexpr (std::is_same_v<From, Half> && std::is_same_v<To, float>) {
    widen_halves(x, y, count);
  } else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, Half>) {
    narrow_to_halves(x, y, count);
  } else {
    for (int64_t i = 0; i < count; ++i) y[i] = convert_element<To>(x[i]);
  }
}

}  // namespace

Converter converter(DType from, DType to) {
  return dispatch_dtype(from, [&]<typename From>(std::type_identity<From>) {
    return dispatch_dtype(
        to, [&]<typename To>(std::type_identity<To>) -> Converter { return convert_elements<From, To>; });
  });
}

void convert(DType from, const std::byte* source, DType to, std::byte* target, int64_t count,
             ThreadPool& pool) {
  const Converter convert_some = converter(from, to);
  const auto source_size = int64_t(size_of(from)), target_size = int64_t(size_of(to));
  pool.parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    convert_some(source + begin * source_size, target + begin * target_size, end - begin);
  });
}

ConvertedInput::ConvertedInput(const KernelArgs& args, size_t input, DType dtype) : data_(args.in[input]) {
  const DType own = args.node.dtype(input);
  if (own == dtype) return;
  const int64_t count = element_count(args.node.shape(input)).value_or(0);
  owned_.resize(size_t(count) * size_of(dtype));
  convert(own, data_, dtype, owned_.data(), count, args.pool);
  data_ = owned_.data();
}

}  // namespace nnrt::cpu
