// The C++ types of elements, and elements as numbers.
#pragma once

#include "core/base/dtype.h"
#include "core/base/element_at.h"
#include "core/base/fp16.h"

#include <stdexcept>
#include <type_traits>
#include <vector>

namespace nnrt {

// One byte; any nonzero value is true (R14).
struct Bool {
  uint8_t bits = 0;
};

// Calls f(std::type_identity<T>{}) with the C++ type of a dtype's elements.
template <typename F>
constexpr decltype(auto) dispatch_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::boolean: return f(std::type_identity<Bool>{});
    case DType::i8: return f(std::type_identity<int8_t>{});
    case DType::i16: return f(std::type_identity<int16_t>{});
    case DType::i32: return f(std::type_identity<int32_t>{});
    case DType::i64: return f(std::type_identity<int64_t>{});
    case DType::u8: return f(std::type_identity<uint8_t>{});
    case DType::u16: return f(std::type_identity<uint16_t>{});
    case DType::u32: return f(std::type_identity<uint32_t>{});
    case DType::u64: return f(std::type_identity<uint64_t>{});
    case DType::f16: return f(std::type_identity<Half>{});
    case DType::f64: return f(std::type_identity<double>{});
    case DType::f32:
    case DType::unknown: break;
  }
  if (dtype != DType::f32) throw std::logic_error("A tensor without a dtype has no elements.");
  return f(std::type_identity<float>{});
}

// The dtype whose elements are T.
template <typename T>
inline constexpr DType kDTypeOf = [] {
  const auto is_type = []<typename U>(std::type_identity<U>) { return std::is_same_v<T, U>; };
  for (int i = 1; i < kDTypeCount; ++i)
    if (dispatch_dtype(DType(i), is_type)) return DType(i);
  return DType::unknown;
}();
template <>
inline constexpr DType kDTypeOf<bool> = DType::boolean;

// Converts a stored element to the type used in arithmetic, and back. Half computes as float.
inline float widen(Half x) { return to_float(x); }
inline bool widen(Bool x) { return x.bits != 0; }
template <typename T>
T widen(T x) {
  return x;
}
template <typename T, typename Value>
T narrow(Value x) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half(x);
  } else if constexpr (std::is_same_v<T, Bool>) {
    return Bool{uint8_t(x != Value(0) ? 1 : 0)};
  } else {
    return T(x);
  }
}

template <typename To>
std::vector<To> numbers_of(DType dtype, ByteView elements) {
  return dispatch_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
    std::vector<To> numbers(elements.size() / sizeof(T));
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<To>(widen(element_at<T>(elements, i)));
    return numbers;
  });
}

}  // namespace nnrt
