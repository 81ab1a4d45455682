// Parallel strided copy.
#pragma once

#include "backends/cpu/base/strided_walk.h"
#include "backends/cpu/base/thread_pool.h"
#include "backends/cpu/simd/matrix_transpose.h"
#include "backends/cpu/simd/simd.h"
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

// A tile of a transpose: rows along the region's last dimension, columns along the crossing one.
template <typename T>
void copy_tile(const MatrixShape& tile, const T* from, T* to, int64_t to_row, int64_t to_step) {
  if constexpr (sizeof(T) <= sizeof(uint32_t)) {
    if (to_step == 1) return transpose_matrix(vector_bytes(), tile, from, to, to_row);
  }
  for (int64_t column = 0; column < tile.columns; ++column)
    copy_run(from + column, tile.step, to + column * to_row, to_step, tile.rows);
}

// Transposes in tiles that fit in the cache.
template <typename T>
void copy_crossing(const CopyRegion& region, size_t crossing, const T* from, T* to, ThreadPool& pool) {
  constexpr int64_t kElement = sizeof(T), kLine = 64 / kElement, kRows = 256, kGrainBytes = 1 << 16;
  Shape outer = region.shape;
  std::array strides{region.from_strides, region.to_strides};
  const size_t last = outer.size() - 1;
  const int64_t columns = std::exchange(outer[crossing], 1), rows = std::exchange(outer[last], 1);
  const int64_t from_step = strides[0][last], to_step = strides[1][last], to_row = strides[1][crossing];
  const int64_t width = kLine * std::max<int64_t>(1, kRows / rows);  // columns of a tile
  const int64_t across = (columns + width - 1) / width, down = (rows + kRows - 1) / kRows;
  const int64_t tile_bytes = std::min(columns, width) * std::min(rows, kRows) * kElement;
  pool.parallel_for(
      product(outer, 0, outer.size()) * across * down, 1 + kGrainBytes / tile_bytes,
      [&](int64_t begin, int64_t end) {
        for (int64_t tile = begin; tile < end; ++tile) {
          const int64_t column = tile / down % across * width, row = tile % down * kRows;
          const int64_t plane = tile / down / across;
          const MatrixShape shape{std::min(kRows, rows - row), std::min(width, columns - column), from_step};
          walk<2>(outer, strides, plane, plane + 1, [&](int64_t, const std::array<int64_t, 2>& at, int64_t) {
            copy_tile(shape, from + at[0] + row * from_step + column,
                      to + at[1] + row * to_step + column * to_row, to_row, to_step);
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
  constexpr int64_t kLength = 4096, kGrain = 16384;
  Shape outer = region.shape;
  const size_t last = outer.size() - 1;
  const int64_t length = std::exchange(outer[last - 1], 1), step = region.from_strides[last];
  outer[last] = 1;
  const std::array strides{region.from_strides, region.to_strides};
  const int64_t parts = (length + kLength - 1) / kLength;
  pool.parallel_for(
      product(outer, 0, outer.size()) * parts, 1 + kGrain / (std::min(length, kLength) * Lines),
      [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part) {
          const int64_t first = part % parts * kLength, count = std::min(kLength, length - first);
          const int64_t plane = part / parts;
          walk<2>(outer, strides, plane, plane + 1, [&](int64_t, const std::array<int64_t, 2>& at, int64_t) {
            const T* const source = from + at[0] + first;
            T* const target = to + at[1] + first * Lines;
            if constexpr (Lines == 3 && sizeof(T) == 1) {
              interleave_three(vector_bytes(), source, step, count, target);
            } else {
              for (int64_t i = 0; i < count; ++i)
                for (int k = 0; k < Lines; ++k) target[i * Lines + k] = source[i + k * step];
            }
          });
        }
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
