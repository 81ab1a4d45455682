// GEMM rows that are output pixels of a convolution, for for_tiles().
#pragma once

#include "backends/cpu/conv/conv_geometry.h"
#include "backends/cpu/gemm/gemm_tiling.h"

namespace nnrt::cpu {

// How the elements under the kernel become the parts of a row.
enum class RowSource {
  taps,      // one part per tap, in place; used if a tap is long enough that locating it is cheap
  lines,     // one part per kernel line, whose taps are contiguous; padded lines are copied
  gathered,  // one part, copied tap by tap
};
template <typename T>
RowSource row_source_of(const Convolution& conv) {
  constexpr int64_t kMinBytes = 16, kMinBytesInLine = 128;  // of a tap
  const int64_t taps = conv.spatial.kernel[0] * conv.spatial.kernel[1];
  const bool side_by_side = conv.groups == 1 && !conv.transposed && conv.spatial.dilation[1] == 1;
  const int64_t min_bytes = side_by_side && conv.spatial.kernel[1] > 1 ? kMinBytesInLine : kMinBytes;
  if (conv.group_in % kStep<T> == 0 && (taps == 1 || conv.group_in * int64_t(sizeof(T)) >= min_bytes))
    return RowSource::taps;
  return side_by_side ? RowSource::lines : RowSource::gathered;
}

// Each row is an output pixel; its parts are the input pixels the kernel taps read.
template <typename T>
class PixelRows {
 public:
  // The parts are taps; those of group g are g * group_in elements after those located.
  static constexpr int64_t kAllGroups = -1;

  // `outside` is the padding value.
  PixelRows(const Convolution& conv, const T* input, T outside, int64_t group)
      : conv_(conv),
        input_(input + (group == kAllGroups ? 0 : group * conv.group_in)),
        tap_elements_(whole_steps<T>(group == kAllGroups ? conv.in_channels : conv.group_in)),
        outside_(outside),
        row_source_(group == kAllGroups ? RowSource::taps : row_source_of<T>(conv)),
        pads_(conv.spatial.before[1] > 0 || line_pixels() > conv.spatial.in[1] || kStep<T> > 1) {}

  // True if rows are the input pixels in place, one after the other.
  bool has_fixed_stride() const {
    return std::is_same_v<T, float> && conv_.is_pointwise() && !conv_.transposed && conv_.groups == 1;
  }
  const T* row_at(int64_t row) const { return input_ + row * conv_.in_channels; }

  int64_t bytes(int64_t rows) const {
    int64_t elements = outside_elements();
    if (row_source_ == RowSource::gathered) elements += rows * gathered();
    if (row_source_ == RowSource::lines && pads_)
      elements += (rows / conv_.spatial.out[1] + 2) * conv_.spatial.kernel[0] * line();
    return elements * int64_t(sizeof(T));
  }

  // In blocks of `tap_rows` rows.
  void operator()(int64_t begin, int64_t count, int64_t tap_rows, const T** parts, T* memory) const {
    std::fill_n(memory, outside_elements(), outside_);
    T* free = memory + outside_elements();
    const SpatialParams& spatial = conv_.spatial;
    const int64_t row_parts = row_source_ == RowSource::taps    ? spatial.kernel[0] * spatial.kernel[1]
                              : row_source_ == RowSource::lines ? spatial.kernel[0]
                                                                : 1;
    const auto place = [&](int64_t r) { return parts + r / tap_rows * row_parts * tap_rows + r % tap_rows; };
    for (int64_t r = 0; r < count;) {
      const int64_t x = (begin + r) % spatial.out[1];
      const int64_t y = (begin + r) / spatial.out[1] % spatial.out[0];
      const int64_t n = (begin + r) / spatial.out[1] / spatial.out[0];
      const T* const image = input_ + n * spatial.in[0] * spatial.in[1] * conv_.in_channels;
      const int64_t end = std::min(count, r + spatial.out[1] - x);  // end of the rows in this output line
      if (row_source_ == RowSource::lines) {
        const T** const first = place(r);
        const int64_t in_block = r % tap_rows;
        const int64_t above = std::max<int64_t>(r - spatial.out[1], 0),
                      above_x = (begin + above) % spatial.out[1];
        // Input lines shared with the output line above are already in place.
        const int64_t moved = r > 0 && y > 0 ? taps_between_lines() : spatial.kernel[0];
        for (int64_t u = 0; u < spatial.kernel[0]; ++u) {
          const T* const line = u + moved < spatial.kernel[0]
                                    ? place(above)[(u + moved) * tap_rows] - above_x * pixel_step()
                                    : line_under(image, conv_.source(0, y, u), memory, free);
          point_to_pixels(line + x * pixel_step(), end - r, in_block, first + u * tap_rows, tap_rows,
                          row_parts);
        }
        r = end;
      }
      if (row_source_ == RowSource::gathered) {
        for (; r < end; ++r, free += gathered())
          *place(r) = gather(image, y, (begin + r) % spatial.out[1], memory, free);
      }
      while (r < end) {  // block by block
        const int64_t some = std::min(end - r, tap_rows - r % tap_rows);
        point_to_taps(image, y, (begin + r) % spatial.out[1], some, memory, place(r), tap_rows);
        r += some;
      }
    }
  }

 private:
  int64_t gathered() const { return whole_steps<T>(conv_.inner()); }
  // Input pixels of a line that one output line reads.
  int64_t line_pixels() const {
    return (conv_.spatial.out[1] - 1) * conv_.spatial.stride[1] + conv_.spatial.kernel[1];
  }
  int64_t line() const { return line_pixels() * conv_.in_channels + kStep<T> - 1; }
  int64_t outside_elements() const { return row_source_ == RowSource::lines ? line() : tap_elements_; }

  // The input line as the output pixels read it, contiguously. Advances `free` if the line is copied there.
  const T* line_under(const T* image, int64_t in_y, const T* outside, T*& free) const {
    if (in_y < 0) return outside;
    const SpatialParams& spatial = conv_.spatial;
    const T* const from = image + in_y * spatial.in[1] * conv_.in_channels;
    if (!pads_) return from;
    T* const copy = free;
    free += line();
    const int64_t before = std::min(spatial.before[1] * conv_.in_channels, line());
    const int64_t inside = std::min(spatial.in[1] * conv_.in_channels, line() - before);
    std::fill_n(copy, before, outside_);
    std::copy_n(from, inside, copy + before);
    std::fill(copy + before + inside, copy + line(), outside_);
    return copy;
  }

  // Tap u reads the input line that tap u + taps_between_lines() of the output line above reads. The kernel's
  // height if they share no lines.
  int64_t taps_between_lines() const {
    const int64_t stride = conv_.spatial.stride[0], dilation = conv_.spatial.dilation[0];
    return stride % dilation == 0 ? stride / dilation : conv_.spatial.kernel[0];
  }

  // Elements between the pixels that neighboring rows read.
  int64_t pixel_step() const { return conv_.spatial.stride[1] * conv_.in_channels; }

  static void point_to_row(const T* from, int64_t count, int64_t step, const T** to) {
    constexpr int64_t kUsual = 8;  // rows of most blocks
    if (count == kUsual) {
      for (int64_t i = 0; i < kUsual; ++i) to[i] = from + i * step;
    } else {
      for (int64_t i = 0; i < count; ++i, from += step) to[i] = from;
    }
  }

  // Addresses of `count` pixels of a line from `from` on. `to` is that of the first, which is the row
  // `in_block` of its block.
  void point_to_pixels(const T* from, int64_t count, int64_t in_block, const T** to, int64_t tap_rows,
                       int64_t row_parts) const {
    const int64_t step = pixel_step();
    while (count > 0) {
      const int64_t some = std::min(count, tap_rows - in_block);
      point_to_row(from, some, step, to);
      from += some * step;
      to += row_parts * tap_rows - in_block;
      in_block = 0;
      count -= some;
    }
  }

  // Tap addresses of `count` pixels of a line, from x on.
  void point_to_taps(const T* image, int64_t y, int64_t x, int64_t count, const T* outside, const T** to,
                     int64_t tap_rows) const {
    const SpatialParams& spatial = conv_.spatial;
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
    const int64_t first_x = x * spatial.stride[1] - spatial.before[1];
    const int64_t reach = (count - 1) * spatial.stride[1] + (spatial.kernel[1] - 1) * spatial.dilation[1];
    const bool inside = first_x >= 0 && first_x + reach < spatial.in[1];
    for (int64_t u = 0; u < spatial.kernel[0]; ++u) {
      const int64_t in_y = conv_.source(0, y, u);
      const T* const line = image + in_y * spatial.in[1] * conv_.in_channels;
      if (inside && in_y >= 0) {
        const T* from = line + first_x * conv_.in_channels;
        const int64_t tap_step = spatial.dilation[1] * conv_.in_channels, step = pixel_step();
        for (int64_t v = 0; v < spatial.kernel[1]; ++v, to += tap_rows, from += tap_step)
          point_to_row(from, count, step, to);
        continue;
      }
      for (int64_t v = 0; v < spatial.kernel[1]; ++v, to += tap_rows) {
        int64_t in_x = first_x + v * spatial.dilation[1];
        for (int64_t i = 0; i < count; ++i, in_x += spatial.stride[1])
          to[i] = in_y < 0 || in_x < 0 || in_x >= spatial.in[1] ? outside : line + in_x * conv_.in_channels;
      }
    }
  }

  template <typename F>
  void for_taps(const T* image, int64_t y, int64_t x, const T* outside, F f) const {
    const SpatialParams& spatial = conv_.spatial;
    for (int64_t u = 0; u < spatial.kernel[0]; ++u) {
      const int64_t in_y = conv_.source(0, y, u);
      const T* const line = image + in_y * spatial.in[1] * conv_.in_channels;
      for (int64_t v = 0; v < spatial.kernel[1]; ++v) {
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
  int64_t tap_elements_;  // of padding
  T outside_;
  RowSource row_source_;
  bool pads_;
};

template <typename T>
GemmProblem gemm_problem_of(const Convolution& conv, bool has_bias) {
  const SpatialParams& spatial = conv.spatial;
  const RowSource reading = row_source_of<T>(conv);
  GemmProblem gemm;
  gemm.rows = conv.pixels();
  gemm.groups = conv.groups;
  gemm.columns = conv.group_out;
  gemm.taps = reading == RowSource::taps    ? spatial.kernel[0] * spatial.kernel[1]
              : reading == RowSource::lines ? spatial.kernel[0]
                                            : 1;
  gemm.tap_elements = conv.inner() / gemm.taps;
  gemm.row_elements = conv.inner();
  // Strides may be as large as INT32_MAX; their product with the channels can overflow if they exceed the
  // kernel size.
  const int64_t strides = spatial.stride[0] * spatial.stride[1];
  if (reading != RowSource::gathered && strides < spatial.kernel[0] * spatial.kernel[1])
    gemm.row_elements = conv.group_in * strides;
  gemm.has_bias = has_bias;
  return gemm;
}

}  // namespace nnrt::cpu
