// Parallel strided copy.
#pragma once

#include "backends/cpu/base/strided_walk.h"
#include "backends/cpu/base/thread_pool.h"
#include "core/schema/data_movement/copy_regions.h"

#include <optional>
#include <utility>

namespace nnrt::cpu {

template <typename T>
void copy_run(const T* from, int64_t from_step, T* to, int64_t to_step, int64_t length) {
  if (from_step == 1 && to_step == 1) {
    std::copy_n(from, length, to);
  } else {
    for (int64_t i = 0; i < length; ++i) to[i * to_step] = from[i * from_step];
  }
}

// The dimension in which the input is contiguous, if it is not the last one: a transpose, which is copied in
// tiles.
std::optional<size_t> crossing_dimension(const CopyRegion& region);

// Transposes in square tiles (rows along the last dimension, columns along `crossing`) that fit in the cache.
template <typename T>
void copy_crossing(const CopyRegion& region, size_t crossing, const T* from, T* to, ThreadPool& pool) {
  constexpr int64_t kTile = 32;
  Shape outer = region.shape;
  std::array strides{region.from_strides, region.to_strides};
  const size_t last = outer.size() - 1;
  const int64_t height = std::exchange(outer[crossing], 1), width = std::exchange(outer[last], 1);
  const int64_t from_step = strides[0][last], to_step = strides[1][last], to_row = strides[1][crossing];
  const int64_t bands = (height + kTile - 1) / kTile;
  const auto copy_band = [&](const T* source, T* target, int64_t rows) {
    for (int64_t column = 0; column < width; column += kTile) {
      const int64_t columns = std::min(kTile, width - column);
      for (int64_t row = 0; row < rows; ++row)
        copy_run(source + row + column * from_step, from_step, target + row * to_row + column * to_step,
                 to_step, columns);
    }
  };
  pool.parallel_for(
      product(outer, 0, outer.size()) * bands, 1 + 16384 / (kTile * width), [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; ++unit) {
          const int64_t plane = unit / bands, row = unit % bands * kTile;
          walk<2>(outer, strides, plane, plane + 1, [&](int64_t, const std::array<int64_t, 2>& at, int64_t) {
            copy_band(from + at[0] + row, to + at[1] + row * to_row, std::min(kTile, height - row));
          });
        }
      });
}

// Returns whether a few contiguous input lines are interleaved in the output, as in a channel shuffle.
template <int Lines>
bool interleaves(const CopyRegion& region) {
  const size_t last = region.shape.size() - 1;
  return last > 0 && region.shape[last] == Lines && region.from_strides[last] > 1 &&
         region.to_strides[last] == 1 && region.from_strides[last - 1] == 1 &&
         region.to_strides[last - 1] == Lines;
}

template <int Lines, typename T>
void copy_interleaved(const CopyRegion& region, const T* from, T* to, ThreadPool& pool) {
  Shape outer = region.shape;
  const size_t last = outer.size() - 1;
  const int64_t length = std::exchange(outer[last - 1], 1), step = region.from_strides[last];
  outer[last] = 1;
  const std::array strides{region.from_strides, region.to_strides};
  pool.parallel_for(
      product(outer, 0, outer.size()), 1 + 16384 / (length * Lines), [&](int64_t begin, int64_t end) {
        walk<2>(outer, strides, begin, end, [&](int64_t, const std::array<int64_t, 2>& at, int64_t) {
          const T* const source = from + at[0];
          T* const target = to + at[1];
          for (int64_t i = 0; i < length; ++i)
            for (int k = 0; k < Lines; ++k) target[i * Lines + k] = source[i + k * step];
        });
      });
}

template <typename T>
void copy_region(const CopyRegion& region, const T* from, T* to, ThreadPool& pool) {
  constexpr int64_t kGrain = 16384;
  from += region.from_offset;
  to += region.to_offset;
  if (interleaves<2>(region)) return copy_interleaved<2>(region, from, to, pool);
  if (interleaves<3>(region)) return copy_interleaved<3>(region, from, to, pool);
  if (interleaves<4>(region)) return copy_interleaved<4>(region, from, to, pool);
  if (const auto crossing = crossing_dimension(region))
    return copy_crossing(region, *crossing, from, to, pool);
  const std::array strides{region.from_strides, region.to_strides};
  const int64_t from_step = region.from_strides.back(), to_step = region.to_strides.back();
  pool.parallel_for(element_count(region.shape).value_or(0), kGrain, [&](int64_t begin, int64_t end) {
    walk<2>(region.shape, strides, begin, end,
            [&](int64_t, const std::array<int64_t, 2>& at, int64_t length) {
              copy_run(from + at[0], from_step, to + at[1], to_step, length);
            });
  });
}

}  // namespace nnrt::cpu
