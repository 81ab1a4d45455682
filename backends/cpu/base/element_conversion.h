// Conversion of elements from one dtype to another, as CAST defines it.
#pragma once

#include "backends/cpu/base/element.h"
#include "backends/cpu/base/scalar_arithmetic.h"

namespace nnrt::cpu {

// To BOOL: not zero. Floating to integer: toward zero, saturating, NaN to 0. Integer to integer: wraps.
// Everything else to nearest.
template <typename To, typename From>
To convert_element(From x) {
  const auto value = widen(x);
  using Value = std::remove_const_t<decltype(value)>;
  if constexpr (std::is_same_v<To, Half> && std::is_integral_v<Value>) {
    return to_half(float(value));  // exact below 2^24, and infinity long before that
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<Value>) {
    return saturate<To>(value);
  } else {
    return narrow<To>(value);
  }
}

void convert(DType from, const std::byte* source, DType to, std::byte* target, int64_t count,
             ThreadPool& pool);

// An input converted to another dtype; borrowed where it has it already.
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
