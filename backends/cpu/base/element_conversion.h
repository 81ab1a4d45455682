// Element conversion between dtypes, as defined by CAST.
#pragma once

#include "backends/cpu/base/element.h"
#include "backends/cpu/base/scalar_arithmetic.h"

namespace nnrt::cpu {

// To BOOL: nonzero is true. Float to integer: truncates, saturates, NaN gives 0. Integer to integer: wraps.
// All other conversions round to nearest.
template <typename To, typename From>
To convert_element(From x) {
  const auto value = widen(x);
  using Value = std::remove_const_t<decltype(value)>;
  if constexpr (std::is_same_v<To, Half> && std::is_integral_v<Value>) {
    return to_half(float(value));  // exact below 2^24; larger values overflow to infinity anyway
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<Value>) {
    return saturate<To>(value);
  } else {
    return narrow<To>(value);
  }
}

// Converts `count` elements by convert_element().
using Converter = void (*)(const std::byte* source, std::byte* target, int64_t count);
Converter converter(DType from, DType to);

void convert(DType from, const std::byte* source, DType to, std::byte* target, int64_t count,
             ThreadPool& pool);

// An input converted to another dtype; borrowed if it already has that dtype.
class ConvertedInput {
 public:
  ConvertedInput(const KernelArgs& args, size_t input, DType dtype);
  ConvertedInput(const ConvertedInput&) = delete;
  ConvertedInput& operator=(const ConvertedInput&) = delete;

  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  Bytes owned_;
  const std::byte* data_;
};

}  // namespace nnrt::cpu
