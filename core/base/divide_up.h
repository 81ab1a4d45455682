#pragma once

#include <concepts>
#include <type_traits>

namespace nnrt {

// How many parts of `part` cover `whole`. Cannot overflow.
template <std::integral T>
constexpr T divide_up(T whole, std::type_identity_t<T> part) {
  return T(whole / part + (whole % part > 0 ? 1 : 0));
}

// The next multiple of `part`.
template <std::integral T>
constexpr T round_up(T whole, std::type_identity_t<T> part) {
  return divide_up(whole, part) * part;
}

}  // namespace nnrt
