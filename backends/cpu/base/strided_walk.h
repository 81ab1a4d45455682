// Walks strided operands in C order, in runs along the last dimension.
#pragma once

#include "core/base/check.h"
#include "core/base/shape.h"

#include <algorithm>
#include <array>
#include <span>

namespace nnrt::cpu {

// Calls f(position, offsets, length) for elements [begin, end) of `shape`: the next `length` elements of
// operand k start at offsets[k] with stride strides[k].back(). Does not allocate.
template <size_t N, typename F>
void walk(const Shape& shape, std::span<const Strides> strides, int64_t begin, int64_t end, F&& f) {
  constexpr size_t kMaxDims = 24;
  NNRT_CHECK(!shape.empty() && shape.size() <= kMaxDims && strides.size() >= N,
             "A walk has between 1 and 24 dimensions, and strides for each operand.");
  const size_t last = shape.size() - 1;
  std::array<int64_t, kMaxDims> index{};
  std::array<int64_t, N> offsets{};
  const auto move_by = [&](size_t dim, int64_t steps) {
    index[dim] += steps;
    for (size_t k = 0; k < N; ++k) offsets[k] += steps * strides[k][dim];
  };

  int64_t rest = begin;
  for (size_t dim = last + 1; dim-- > 0; rest /= shape[dim]) move_by(dim, rest % shape[dim]);
  while (begin < end) {
    const int64_t length = std::min(shape[last] - index[last], end - begin);
    f(begin, offsets, length);
    begin += length;
    move_by(last, length);
    for (size_t dim = last; dim > 0 && index[dim] == shape[dim]; --dim) {
      move_by(dim, -shape[dim]);
      move_by(dim - 1, 1);
    }
  }
}

}  // namespace nnrt::cpu
