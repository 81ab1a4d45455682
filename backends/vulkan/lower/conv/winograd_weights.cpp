#include "backends/vulkan/lower/conv/winograd_weights.h"

#include "backends/vulkan/device/parallel_for_each.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace nnrt::vulkan {
namespace {

constexpr size_t kTaps = 3, kMaxPoints = 6;
using Lanes = std::array<float, kTileColumns>;  // adjacent output channels

// The 1D transform; uses the interpolation points of winograd_tile.glsl.
void kernel_points(uint32_t side, const Lanes& a, const Lanes& b, const Lanes& c,
                   std::array<Lanes, kMaxPoints>& to) {
  for (size_t i = 0; i < kTileColumns; ++i) {
    const float even = a[i] + c[i];
    if (side == 2) {
      to[0][i] = a[i];
      to[1][i] = (even + b[i]) / 2;
      to[2][i] = (even - b[i]) / 2;
      to[3][i] = c[i];
      continue;
    }
    const float outer = a[i] + 4 * c[i];
    to[0][i] = a[i] / 4;
    to[1][i] = -(even + b[i]) / 6;
    to[2][i] = -(even - b[i]) / 6;
    to[3][i] = (outer + 2 * b[i]) / 24;
    to[4][i] = (outer - 2 * b[i]) / 24;
    to[5][i] = c[i];
  }
}

// The 3x3 taps of one input channel for `count` output channels; `step` is the distance between taps in
// floats.
std::array<std::array<Lanes, kTaps>, kTaps> taps_of(const float* weights, size_t step, size_t count) {
  std::array<std::array<Lanes, kTaps>, kTaps> taps{};
  for (size_t i = 0; i < count; ++i) {
    for (size_t tap = 0; tap < kTaps * kTaps; ++tap)
      taps[tap / kTaps][tap % kTaps][i] = weights[(i * kTaps * kTaps + tap) * step];
  }
  return taps;
}

// Transforms [out][3][3][in] to rows [in][16], one for each point and block of output channels.
class WinogradRows {
 public:
  WinogradRows(const std::byte* weights, size_t in, size_t out, uint32_t side)
      : weights_(reinterpret_cast<const float*>(weights)), in_(in), out_(out), side_(side) {}

  size_t row_bytes() const { return in_ * sizeof(Lanes); }
  size_t bytes() const { return points() * points() * blocks() * row_bytes(); }

  // Writes the rows from `first` on. Each thread transforms blocks, whose rows are blocks() apart.
  void write(size_t first, std::span<std::byte> to) const {
    const size_t rows = to.size() / row_bytes();
    const auto write_rows = [&](size_t i) -> Status {
      const size_t row = first + i;
      write_block(row % blocks(), row / blocks(), (rows - i - 1) / blocks() + 1, to.subspan(i * row_bytes()));
      return {};
    };
    static_cast<void>(for_each_parallel(std::min(blocks(), rows), write_rows));  // never fails
  }

 private:
  size_t points() const { return side_ + 2; }  // in one dimension
  size_t blocks() const { return divide_up(out_, kTileColumns); }

  // Writes the rows of `count` points of a block; `to` begins with the first.
  void write_block(size_t block, size_t first_point, size_t count, std::span<std::byte> to) const {
    const size_t first = block * kTileColumns, channels = std::min<size_t>(kTileColumns, out_ - first);
    const size_t last_point = first_point + count - 1;
    for (size_t c = 0; c < in_; ++c) {
      const auto taps = taps_of(weights_ + first * kTaps * kTaps * in_ + c, in_, channels);
      std::array<std::array<Lanes, kMaxPoints>, kTaps> columns{};
      for (size_t x = 0; x < kTaps; ++x) kernel_points(side_, taps[0][x], taps[1][x], taps[2][x], columns[x]);
      for (size_t y = first_point / points(); y <= last_point / points(); ++y) {
        std::array<Lanes, kMaxPoints> row{};
        kernel_points(side_, columns[0][y], columns[1][y], columns[2][y], row);
        for (size_t x = 0; x < points(); ++x) {
          const size_t point = y * points() + x;
          if (point < first_point || point > last_point) continue;
          const size_t place = (point - first_point) * blocks() * in_ + c;
          std::memcpy(to.data() + place * sizeof(Lanes), row[x].data(), sizeof(Lanes));
        }
      }
    }
  }

  const float* weights_;
  size_t in_, out_;
  uint32_t side_;
};

}  // namespace

Packing winograd_weights(const std::byte* weights, uint32_t in, uint32_t out, uint32_t side) {
  const WinogradRows rows(weights, in, out, side);
  return {rows.bytes(), rows.row_bytes(),
          [rows](uint64_t offset, std::span<std::byte> to) { rows.write(offset / rows.row_bytes(), to); }};
}

Packing taps_by_quads(const std::byte* weights, uint32_t in, uint32_t out) {
  constexpr size_t kQuad = 4;
  const size_t row = kTaps * kTaps * in;  // floats per output channel
  const size_t quad_bytes = row * kQuad * sizeof(float);
  return {out / kQuad * quad_bytes, quad_bytes, [=](uint64_t offset, std::span<std::byte> to) {
            const std::byte* from = weights + offset;
            for (; !to.empty(); to = to.subspan(quad_bytes), from += quad_bytes) {
              for (size_t i = 0; i < row * kQuad; ++i) {
                std::memcpy(to.data() + i * sizeof(float),
                            from + (i % kQuad * row + i / kQuad) * sizeof(float), sizeof(float));
              }
            }
          }};
}

}  // namespace nnrt::vulkan
