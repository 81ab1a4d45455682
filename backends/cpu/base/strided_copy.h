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
  const int64_t across = divide_up(columns, width), down = divide_up(rows, kRows);
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
void interleave(const T* from, int64_t step, int64_t count, T* to) {
  if constexpr (Lines == 3 && requires { interleave_three(vector_bytes(), from, step, count, to); }) {
    interleave_three(vector_bytes(), from, step, count, to);
  } else {
    for (int64_t i = 0; i < count; ++i)
      for (int k = 0; k < Lines; ++k) to[i * Lines + k] = from[i + k * step];
  }
}

template <int Lines, typename T>
void copy_interleaved(const CopyRegion& region, const T* from, T* to, ThreadPool& pool) {
  constexpr int64_t kPart = 4096, kGrain = 16384;
  const size_t last = region.shape.size() - 1;
  const int64_t length = region.shape[last - 1], step = region.from_strides[last];
  const int64_t parts = divide_up(length, kPart);
  // The lines' parts instead of their elements.
  Shape shape = region.shape;
  std::array strides{region.from_strides, region.to_strides};
  shape[last - 1] = 1;
  shape[last] = parts;
  strides[0][last] = kPart;
  strides[1][last] = kPart * Lines;
  pool.parallel_for(product(shape, 0, shape.size()), 1 + kGrain / (std::min(length, kPart) * Lines),
                    [&](int64_t begin, int64_t end) {
                      walk<2>(shape, strides, begin, end,
                              [&](int64_t at, const std::array<int64_t, 2>& offsets, int64_t n) {
                                for (int64_t i = 0; i < n; ++i)
                                  interleave<Lines>(from + offsets[0] + i * kPart, step,
                                                    std::min(kPart, length - (at % parts + i) * kPart),
                                                    to + offsets[1] + i * kPart * Lines);
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
