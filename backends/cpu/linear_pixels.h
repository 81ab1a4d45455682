// Where output pixels find their input: rows of a product, for for_tiles().
#pragma once

#include "backends/cpu/linear_convolution.h"
#include "backends/cpu/linear_tiles.h"

namespace nnrt::cpu {

// How many elements the innermost loops take of a part at once; behind the last ones they read on, up to a
// multiple, and multiply by zero.
template <typename T>
inline constexpr int64_t kStep = 1;
template <>
inline constexpr int64_t kStep<int8_t> = 4;
template <typename T>
int64_t whole_steps(int64_t elements) {
  return divide_up(elements, kStep<T>) * kStep<T>;
}

// How the elements under a kernel become parts of a row.
enum class Reading {
  taps,      // a part for each tap, where it lies: so many whole steps that finding it costs little
  lines,     // a part for each line of the kernel, whose taps lie side by side; padded lines are copied
  gathered,  // one part, copied tap by tap
};
template <typename T>
Reading reading_of(const Convolution& conv) {
  constexpr int64_t kFewestBytes = 16;
  const int64_t taps = conv.window.kernel[0] * conv.window.kernel[1];
  if (conv.group_in % kStep<T> == 0 && (taps == 1 || conv.group_in * int64_t(sizeof(T)) >= kFewestBytes))
    return Reading::taps;
  const bool side_by_side = conv.groups == 1 && !conv.transposed && conv.window.dilation[1] == 1;
  return side_by_side ? Reading::lines : Reading::gathered;
}

// Rows are output pixels, parts the input pixels that the taps of a kernel
// read.
template <typename T>
class Pixels {
 public:
  // `outside` is what lies around the image.
  Pixels(const Convolution& conv, const T* input, T outside, int64_t group)
      : conv_(conv),
        input_(input + group * conv.group_in),
        outside_(outside),
        reading_(reading_of<T>(conv)),
        pads_(conv.window.before[1] > 0 || line_pixels() > conv.window.in[1] || kStep<T> > 1) {}

  // Rows are the pixels as they lie, one after the other.
  bool lies_evenly() const {
    return std::is_same_v<T, float> && conv_.is_pointwise() && !conv_.transposed && conv_.groups == 1;
  }
  const T* even_row(int64_t row) const { return input_ + row * conv_.in_channels; }

  int64_t bytes(int64_t rows) const {
    int64_t elements = outside_elements();
    if (reading_ == Reading::gathered) elements += rows * gathered();
    if (reading_ == Reading::lines && pads_)
      elements += (rows / conv_.window.out[1] + 2) * conv_.window.kernel[0] * line();
    return elements * int64_t(sizeof(T));
  }

  // In blocks of `tap_rows` rows.
  void operator()(int64_t begin, int64_t count, int64_t tap_rows, const T** parts, T* memory) const {
    std::fill_n(memory, outside_elements(), outside_);
    T* free = memory + outside_elements();
    const Window& window = conv_.window;
    const int64_t row_parts = reading_ == Reading::taps    ? window.kernel[0] * window.kernel[1]
                              : reading_ == Reading::lines ? window.kernel[0]
                                                           : 1;
    const auto place = [&](int64_t r) { return parts + r / tap_rows * row_parts * tap_rows + r % tap_rows; };
    for (int64_t r = 0; r < count;) {
      const int64_t x = (begin + r) % window.out[1];
      const int64_t y = (begin + r) / window.out[1] % window.out[0];
      const int64_t n = (begin + r) / window.out[1] / window.out[0];
      const T* const image = input_ + n * window.in[0] * window.in[1] * conv_.in_channels;
      const int64_t end = std::min(count, r + window.out[1] - x);  // of the rows in this line of pixels
      if (reading_ == Reading::lines) {
        for (int64_t u = 0; u < window.kernel[0]; ++u) {
          const T* const from = line_under(image, conv_.source(0, y, u), memory, free);
          for (int64_t i = r, some = 0; i < end; i += some) {
            some = std::min(end - i, tap_rows - i % tap_rows);
            const T** const to = place(i) + u * tap_rows;
            for (int64_t k = 0; k < some; ++k)
              to[k] = from + (x + i - r + k) * window.stride[1] * conv_.in_channels;
          }
        }
        r = end;
      }
      if (reading_ == Reading::gathered) {
        for (; r < end; ++r, free += gathered())
          *place(r) = gather(image, y, (begin + r) % window.out[1], memory, free);
      }
      while (r < end) {  // block after block
        const int64_t some = std::min(end - r, tap_rows - r % tap_rows);
        point_to_taps(image, y, (begin + r) % window.out[1], some, memory, place(r), tap_rows);
        r += some;
      }
    }
  }

 private:
  int64_t gathered() const { return whole_steps<T>(conv_.inner()); }
  // What all pixels of a line of the output read of a line of the input.
  int64_t line_pixels() const {
    return (conv_.window.out[1] - 1) * conv_.window.stride[1] + conv_.window.kernel[1];
  }
  int64_t line() const { return line_pixels() * conv_.in_channels + kStep<T> - 1; }
  int64_t outside_elements() const {
    return reading_ == Reading::lines ? line() : whole_steps<T>(conv_.group_in);
  }

  // The line as the output's pixels read it, side by side. `free` moves on where it is copied there.
  const T* line_under(const T* image, int64_t in_y, const T* outside, T*& free) const {
    if (in_y < 0) return outside;
    const Window& window = conv_.window;
    const T* const from = image + in_y * window.in[1] * conv_.in_channels;
    if (!pads_) return from;
    T* const copy = free;
    free += line();
    const int64_t before = std::min(window.before[1] * conv_.in_channels, line());
    const int64_t inside = std::min(window.in[1] * conv_.in_channels, line() - before);
    std::fill_n(copy, before, outside_);
    std::copy_n(from, inside, copy + before);
    std::fill(copy + before + inside, copy + line(), outside_);
    return copy;
  }

  // For `count` pixels of a line, from x on: where their taps lie.
  void point_to_taps(const T* image, int64_t y, int64_t x, int64_t count, const T* outside, const T** to,
                     int64_t tap_rows) const {
    const Window& window = conv_.window;
    if (conv_.transposed) {
      for (int64_t i = 0; i < count; ++i) {
        const T** tap = to + i;
        for_taps(image, y, x + i, outside, [&](const T* from) {
          *tap = from;
          tap += tap_rows;
        });
      }
      return;
    }
    for (int64_t u = 0; u < window.kernel[0]; ++u) {
      const int64_t in_y = conv_.source(0, y, u);
      const T* const line = image + in_y * window.in[1] * conv_.in_channels;
      for (int64_t v = 0; v < window.kernel[1]; ++v, to += tap_rows) {
        int64_t in_x = x * window.stride[1] + v * window.dilation[1] - window.before[1];
        for (int64_t i = 0; i < count; ++i, in_x += window.stride[1])
          to[i] = in_y < 0 || in_x < 0 || in_x >= window.in[1] ? outside : line + in_x * conv_.in_channels;
      }
    }
  }

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
  const T* input_;
  T outside_;
  Reading reading_;
  bool pads_;
};

template <typename T>
TiledProduct product_of(const Convolution& conv, bool has_bias) {
  const Window& window = conv.window;
  const Reading reading = reading_of<T>(conv);
  TiledProduct product;
  product.rows = conv.pixels();
  product.groups = conv.groups;
  product.columns = conv.group_out;
  product.taps = reading == Reading::taps    ? window.kernel[0] * window.kernel[1]
                 : reading == Reading::lines ? window.kernel[0]
                                             : 1;
  product.tap_elements = conv.inner() / product.taps;
  product.row_elements = conv.inner();
  if (reading != Reading::gathered)
    product.row_elements = std::min(conv.inner(), conv.group_in * window.stride[0] * window.stride[1]);
  product.has_bias = has_bias;
  return product;
}

}  // namespace nnrt::cpu
