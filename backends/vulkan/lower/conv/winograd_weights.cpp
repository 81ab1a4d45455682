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

}  // namespace

Bytes winograd_weights(const std::byte* weights, uint32_t in, uint32_t out, uint32_t side) {
  const size_t points = side + 2, blocks = (out - 1) / kTileColumns + 1;
  Bytes bytes(points * points * blocks * in * sizeof(Lanes));
  const auto* from = reinterpret_cast<const float*>(weights);
  const auto pack = [&](size_t block) -> Status {
    const size_t first = block * kTileColumns, count = std::min<size_t>(kTileColumns, out - first);
    for (size_t c = 0; c < in; ++c) {
      const auto taps = taps_of(from + first * kTaps * kTaps * in + c, in, count);
      std::array<std::array<Lanes, kMaxPoints>, kTaps> columns{};
      for (size_t x = 0; x < kTaps; ++x) kernel_points(side, taps[0][x], taps[1][x], taps[2][x], columns[x]);
      for (size_t y = 0; y < points; ++y) {
        std::array<Lanes, kMaxPoints> row{};
        kernel_points(side, columns[0][y], columns[1][y], columns[2][y], row);
        for (size_t x = 0; x < points; ++x) {
          const size_t place = ((y * points + x) * blocks + block) * in + c;
          std::memcpy(bytes.data() + place * sizeof(Lanes), row[x].data(), sizeof(Lanes));
        }
      }
    }
    return {};
  };
  static_cast<void>(for_each_parallel(blocks, pack));  // never fails
  return bytes;
}

Bytes taps_by_quads(const std::byte* weights, uint32_t in, uint32_t out) {
  constexpr size_t kQuad = 4;
  const size_t row = kTaps * kTaps * in;  // floats per output channel
  Bytes bytes(row * out * sizeof(float));
  for (size_t c = 0; c < out; ++c) {
    for (size_t i = 0; i < row; ++i) {
      const size_t place = (c / kQuad * row + i) * kQuad + c % kQuad;
      std::memcpy(bytes.data() + place * sizeof(float), weights + (c * row + i) * sizeof(float),
                  sizeof(float));
    }
  }
  return bytes;
}

}  // namespace nnrt::vulkan
