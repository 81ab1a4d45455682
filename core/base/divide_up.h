#pragma once

#include <concepts>
#include <type_traits>

namespace nnrt {

// How many parts of `part` cover `whole`.
template <std::integral T>
constexpr T divide_up(T whole, std::type_identity_t<T> part) {
  return (whole + part - 1) / part;
}

}  // namespace nnrt
