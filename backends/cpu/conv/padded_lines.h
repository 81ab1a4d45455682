// Input lines as several pixels at once read them.
#pragma once

#include "backends/cpu/base/aligned_memory.h"
#include "backends/cpu/conv/kernel_taps.h"

#include <cstring>

namespace nnrt::cpu {

// Copies of lines with the padding that an output row reads, and with cells grouped by their remainder modulo
// the stride: those that a tap reads for neighboring output pixels are contiguous.
template <typename T>
class PaddedLines {
 public:
  PaddedLines(const SpatialParams& spatial, int64_t channels)
      : spatial_(spatial),
        channels_(channels),
        stride_(spatial.stride[1]),
        cells_((spatial.out[1] - 1) * stride_ + (spatial.kernel[1] - 1) * spatial.dilation[1] + 1),
        part_(divide_up(cells_, stride_)) {}

  // Elements of a line: whole cache lines.
  int64_t size() const {
    constexpr auto kWhole = int64_t(kMemoryAlignment / sizeof(T));
    return round_up(stride_ * part_ * channels_, kWhole);
  }
  // Offset of the cell under horizontal tap v of output pixel x.
  int64_t offset(int64_t x, int64_t v) const { return place(v * spatial_.dilation[1]) + x * channels_; }

  // `line` is null outside the input.
  void fill(const T* line, T zero, T* to) const {
    const int64_t origin = tap_origin(spatial_, 1, 0);
    const int64_t begin = std::clamp<int64_t>(-origin, 0, cells_);
    const int64_t end = line == nullptr ? begin : std::clamp(spatial_.in[1] - origin, begin, cells_);
    for (int64_t cell = 0; cell < begin; ++cell) std::fill_n(to + place(cell), channels_, zero);
    for (int64_t cell = end; cell < cells_; ++cell) std::fill_n(to + place(cell), channels_, zero);
    if (begin == end) return;
    const T* const from = line + (origin + begin) * channels_;
    if (stride_ == 1) {
      std::copy_n(from, (end - begin) * channels_, to + begin * channels_);
      return;
    }
    switch (size_t(channels_) * sizeof(T)) {
      case 4: return copy_cells<4>(from, begin, end, to);
      case 8: return copy_cells<8>(from, begin, end, to);
      case 12: return copy_cells<12>(from, begin, end, to);
      case 16: return copy_cells<16>(from, begin, end, to);
      case 24: return copy_cells<24>(from, begin, end, to);
      case 32: return copy_cells<32>(from, begin, end, to);
      default: return copy_cells<0>(from, begin, end, to);
    }
  }

 private:
  int64_t place(int64_t cell) const { return (cell % stride_ * part_ + cell / stride_) * channels_; }

  // `Bytes` of a cell: 0 if known only at run time.
  template <size_t Bytes>
  void copy_cells(const T* from, int64_t begin, int64_t end, T* to) const {
    const size_t bytes = Bytes > 0 ? Bytes : size_t(channels_) * sizeof(T);
    for (int64_t first = begin; first < std::min(begin + stride_, end); ++first) {
      T* target = to + place(first);
      for (int64_t cell = first; cell < end; cell += stride_, target += channels_)
        std::memcpy(target, from + (cell - begin) * channels_, bytes);
    }
  }

  const SpatialParams& spatial_;
  int64_t channels_, stride_, cells_, part_;
};

}  // namespace nnrt::cpu
