#include "backends/cpu/base/element_conversion.h"

#include "backends/cpu/simd/simd.h"

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

}  // namespace

void convert(DType from, const std::byte* source, DType to, std::byte* target, int64_t count,
             ThreadPool& pool) {
  dispatch_dtype(from, [&]<typename From>(std::type_identity<From>) {
    dispatch_dtype(to, [&]<typename To>(std::type_identity<To>) {
      pool.parallel_for(count, kGrain, [=](int64_t begin, int64_t end) {
        const From* x = reinterpret_cast<const From*>(source);
        To* y = reinterpret_cast<To*>(target);
        if constexpr (std::is_same_v<From, float> && std::is_integral_v<To> && sizeof(To) == 1) {
          narrow_floats(x + begin, y + begin, end - begin);
        } else {
          for (int64_t i = begin; i < end; ++i) y[i] = convert_element<To>(x[i]);
        }
      });
    });
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
