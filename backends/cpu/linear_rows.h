// Where the parts of rows lie: pixels under a kernel, rows of a matrix. For
// for_tiles().
#pragma once

#include "backends/cpu/linear_convolution.h"
#include "backends/cpu/linear_tiles.h"

#include <cstring>

namespace nnrt::cpu {

// How many elements the innermost loops take of a part at once: its length is a
// multiple, or it is copied.
template <typename T>
inline constexpr int64_t kStep = 1;
template <>
inline constexpr int64_t kStep<int8_t> = 4;
template <typename T>
int64_t whole_steps(int64_t elements) {
  return divide_up(elements, kStep<T>) * kStep<T>;
}

// Whether taps are read where they lie: they are so many whole steps that
// finding them costs little. Otherwise the elements under the kernel are
// gathered first.
template <typename T>
bool reads_in_place(const Convolution& conv) {
  constexpr int64_t kFewestBytes = 16;
  const int64_t taps = conv.window.kernel[0] * conv.window.kernel[1];
  return conv.group_in % kStep<T> == 0 && (taps == 1 || conv.group_in * int64_t(sizeof(T)) >= kFewestBytes);
}

// Rows are output pixels, parts the input pixels that the taps of a kernel
// read.
template <typename T>
class Pixels {
 public:
  // `outside` is what lies around the image.
  Pixels(const Convolution& conv, int64_t block_rows, const T* input, T outside, int64_t group)
      : conv_(conv),
        block_rows_(block_rows),
        input_(input + group * conv.group_in),
        outside_(outside),
        in_place_(reads_in_place<T>(conv)) {}

  int64_t bytes(int64_t rows) const {
    return (line() + (in_place_ ? 0 : rows * gathered())) * int64_t(sizeof(T));
  }

  void operator()(int64_t begin, int64_t count, const T** parts, T* memory) const {
    std::fill_n(memory, line(), outside_);
    const Window& window = conv_.window;
    const int64_t taps = window.kernel[0] * window.kernel[1];
    int64_t x = begin % window.out[1];
    int64_t y = begin / window.out[1] % window.out[0];
    int64_t n = begin / window.out[1] / window.out[0];
    for (int64_t r = 0; r < count; ++r) {
      const T* const image = input_ + n * window.in[0] * window.in[1] * conv_.in_channels;
      if (in_place_) {
        const T** to = parts + r / block_rows_ * taps * block_rows_ + r % block_rows_;
        for_taps(image, y, x, memory, [&](const T* from) {
          *to = from;
          to += block_rows_;
        });
      } else {
        parts[r] = gather(image, y, x, memory, memory + line() + r * gathered());
      }
      if (++x < window.out[1]) continue;
      x = 0;
      if (++y == window.out[0]) y = 0, ++n;
    }
  }

 private:
  int64_t line() const { return whole_steps<T>(conv_.group_in); }
  int64_t gathered() const { return whole_steps<T>(conv_.inner()); }

  template <typename F>
  void for_taps(const T* image, int64_t y, int64_t x, const T* outside, F f) const {
    const Window& window = conv_.window;
    for (int64_t u = 0; u < window.kernel[0]; ++u) {
      const int64_t in_y = conv_.source(0, y, u);
      const T* const line = image + in_y * window.in[1] * conv_.in_channels;
      for (int64_t v = 0; v < window.kernel[1]; ++v) {
        const int64_t in_x = in_y < 0 ? -1 : conv_.source(1, x, v);
        f(in_x < 0 ? outside : line + in_x * conv_.in_channels);
      }
    }
  }

  T* gather(const T* image, int64_t y, int64_t x, const T* outside, T* const row) const {
    T* to = row;
    for_taps(image, y, x, outside, [&](const T* from) {
      for (int64_t i = 0; i < conv_.group_in; ++i) to[i] = from[i];
      to += conv_.group_in;
    });
    std::fill(to, row + gathered(), T{});
    return row;
  }

  const Convolution& conv_;
  int64_t block_rows_;
  const T* input_;
  T outside_;
  bool in_place_;
};

template <typename T>
TiledProduct product_of(const Convolution& conv, bool has_bias) {
  TiledProduct product;
  product.rows = conv.pixels();
  product.groups = conv.groups;
  product.columns = conv.group_out;
  product.taps = reads_in_place<T>(conv) ? conv.window.kernel[0] * conv.window.kernel[1] : 1;
  product.tap_elements = conv.inner() / product.taps;
  product.has_bias = has_bias;
  return product;
}

// Rows of a matrix that lie one after the other, or [inner][rows]; copied where
// they are not whole steps.
template <typename T>
struct MatrixRows {
  const T* data;
  int64_t rows, inner;
  bool transposed;

  int64_t padded() const { return whole_steps<T>(inner); }
  bool copies() const { return transposed || padded() != inner; }
  int64_t bytes(int64_t count) const { return copies() ? count * padded() * int64_t(sizeof(T)) : 0; }
  void operator()(int64_t begin, int64_t count, const T** parts, T* memory) const {
    if (!copies()) {
      for (int64_t r = 0; r < count; ++r) parts[r] = data + (begin + r) * inner;
      return;
    }
    const int64_t row_step = transposed ? 1 : inner, inner_step = transposed ? rows : 1;
    for (int64_t r = 0; r < count; ++r) {
      T* const copy = memory + r * padded();
      const T* const from = data + (begin + r) * row_step;
      for (int64_t k = 0; k < inner; ++k) copy[k] = from[k * inner_step];
      std::fill(copy + inner, copy + padded(), T{});
      parts[r] = copy;
    }
  }
};

inline TiledProduct product_of(const MatMul& work, bool has_bias) {
  TiledProduct product;
  product.rows = work.rows;
  product.columns = work.columns;
  product.tap_elements = work.inner;
  product.has_bias = has_bias;
  product.columns_first = work.transpose_b;
  return product;
}

}  // namespace nnrt::cpu
