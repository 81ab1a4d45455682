// Integer arithmetic as the operators define it: overflow wraps (R13) and division never traps.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

namespace nnrt::cpu {

template <typename T>
struct WrappingType {
  using type = std::common_type_t<unsigned, std::make_unsigned_t<T>>;
};
template <>
struct WrappingType<bool> {
  using type = unsigned;
};
// The unsigned type in which T's arithmetic is free of signed overflow and integer promotion; floating-point
// types are unchanged. For BOOL, sum, difference and product behave as OR, XOR and AND.
template <typename T>
using Wrapping =
    typename std::conditional_t<std::is_integral_v<T>, WrappingType<T>, std::type_identity<T>>::type;

template <typename T>
using ResultOf = std::conditional_t<std::is_same_v<T, bool>, unsigned, T>;

template <typename T>
ResultOf<T> add(T a, T b) {
  return ResultOf<T>(Wrapping<T>(a) + Wrapping<T>(b));
}
template <typename T>
ResultOf<T> subtract(T a, T b) {
  return ResultOf<T>(Wrapping<T>(a) - Wrapping<T>(b));
}
template <typename T>
ResultOf<T> multiply(T a, T b) {
  return ResultOf<T>(Wrapping<T>(a) * Wrapping<T>(b));
}

template <std::floating_point T>
T divide(T a, T b) {
  return a / b;
}
// Truncates; division by zero gives 0, and the lowest value divided by -1 gives itself (DIV).
template <std::integral T>
T divide(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return subtract(T(0), a);
  }
  return T(a / b);
}

// Like divide(), but rounds toward negative infinity.
template <std::floating_point T>
T floor_divide(T a, T b) {
  return a / b;
}
template <std::integral T>
T floor_divide(T a, T b) {
  const T quotient = divide(a, b);
  if constexpr (std::is_signed_v<T>) {
    if (b != 0 && b != -1 && (a < 0) != (b < 0) && quotient * b != a) return T(quotient - 1);
  }
  return quotient;
}

template <std::floating_point T>
T remainder(T a, T b) {
  return std::fmod(a, b);
}
// Takes the sign of the dividend; a zero divisor gives 0 (MOD).
template <std::integral T>
T remainder(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return T(a % b);
}

// A shift amount outside [0, bits) shifts out every bit; right shifts are arithmetic.
template <std::integral T>
T shift_left(T x, T by) {
  using Bits = std::make_unsigned_t<T>;
  return std::cmp_less(by, 0) || std::cmp_greater_equal(by, std::numeric_limits<Bits>::digits)
             ? T(0)
             : T(Wrapping<T>(x) << by);
}
template <std::integral T>
T shift_right(T x, T by) {
  constexpr int kBits = std::numeric_limits<std::make_unsigned_t<T>>::digits;
  const bool is_beyond = std::cmp_less(by, 0) || std::cmp_greater_equal(by, kBits);
  if constexpr (std::is_unsigned_v<T>) {
    return is_beyond ? T(0) : T(x >> by);
  } else {
    return T(x >> (is_beyond ? kBits - 1 : int(by)));
  }
}

// Propagates NaN.
template <typename T>
T maximum(T a, T b) {
  return a > b || a != a ? a : b;
}
template <typename T>
T minimum(T a, T b) {
  return a < b || a != a ? a : b;
}

// Float to integer: truncates and saturates; NaN gives 0 (CAST).
template <std::integral T, std::floating_point F>
T saturate(F x) {
  // As a float, the upper limit is exact or one above the largest value.
  constexpr F kLow = F(std::numeric_limits<T>::min());
  constexpr F kHigh = F(std::numeric_limits<T>::max());
  if (x != x) return 0;
  if (x <= kLow) return std::numeric_limits<T>::min();
  return x >= kHigh ? std::numeric_limits<T>::max() : T(x);
}

}  // namespace nnrt::cpu
