// 1-D lines of a tensor along one axis.
#pragma once

#include "backends/cpu/base/thread_pool.h"
#include "core/base/shape.h"

#include <algorithm>
#include <memory>

namespace nnrt::cpu {

struct Lines {
  int64_t outer = 1, length = 1, inner = 1;  // products of the dimensions before, at and after the axis

  int64_t count() const { return outer * inner; }
};

// A scalar is one line of length 1.
inline Lines lines_of(const Shape& shape, size_t axis) {
  if (shape.empty()) return {};
  return {product(shape, 0, axis), shape[axis], product(shape, axis + 1, shape.size())};
}

// Calls body(line, from, to) for each line. Both pointers are contiguous (strided lines are gathered and
// scattered). Output lines have `out_length` elements and the same layout as the input's.
template <typename In, typename Out, typename Body>
void for_each_line(const Lines& lines, int64_t out_length, const In* x, Out* y, ThreadPool& pool, Body body) {
  const int64_t grain = 1 + (1 << 12) / lines.length;
  if (lines.inner == 1) {
    pool.parallel_for(lines.outer, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) body(i, x + i * lines.length, y + i * out_length);
    });
    return;
  }
  constexpr int64_t kBlock = 16;  // lines gathered together, because they share cache lines
  pool.parallel_for(lines.count(), std::max(grain, kBlock), [&](int64_t begin, int64_t end) {
    const auto from = std::make_unique_for_overwrite<In[]>(size_t(kBlock * lines.length));
    const auto to = std::make_unique_for_overwrite<Out[]>(size_t(kBlock * out_length));
    while (begin < end) {
      const int64_t outer = begin / lines.inner;
      const int64_t inner = begin % lines.inner;
      const int64_t count = std::min({kBlock, end - begin, lines.inner - inner});
      const In* gathered = x + outer * lines.length * lines.inner + inner;
      for (int64_t k = 0; k < lines.length; ++k)
        for (int64_t i = 0; i < count; ++i)
          from[size_t(i * lines.length + k)] = gathered[k * lines.inner + i];
      for (int64_t i = 0; i < count; ++i)
        body(begin + i, from.get() + i * lines.length, to.get() + i * out_length);
      Out* scattered = y + outer * out_length * lines.inner + inner;
      for (int64_t k = 0; k < out_length; ++k)
        for (int64_t i = 0; i < count; ++i) scattered[k * lines.inner + i] = to[size_t(i * out_length + k)];
      begin += count;
    }
  });
}

}  // namespace nnrt::cpu
