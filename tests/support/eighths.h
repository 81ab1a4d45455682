// Multiples of 1/8 in [-2, 2]: sums of their products are exact in FLOAT32 in any order.
#pragma once

#include "core/base/fp16.h"
#include "core/base/shape.h"

#include <type_traits>
#include <vector>

namespace nnrt::test {

template <typename T = float>
std::vector<T> eighths(const Shape& shape, size_t seed) {
  std::vector<T> values(size_t(*element_count(shape)));
  for (size_t i = 0; i < values.size(); ++i) {
    const float value = float(int((i * 13 + seed * 5 + i / 7) % 33) - 16) / 8;
    if constexpr (std::is_same_v<T, Half>) {
      values[i] = to_half(value);
    } else {
      values[i] = T(value);
    }
  }
  return values;
}

}  // namespace nnrt::test
