#include "backends/cpu/simd/matrix_transpose.h"

#include "backends/cpu/simd/transpose.h"
#include "backends/cpu/simd/vector_math.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nnrt::cpu {
namespace {

constexpr int kLaneBytes = 16;  // unpack instructions work within lanes of this size

template <typename T>
constexpr int kPerLane = kLaneBytes / int(sizeof(T));

// Per lane: a[from], b[from], a[from + 1], b[from + 1], ...
template <size_t from, size_t per_lane, typename V, size_t... i>
NNRT_INLINE V unpacked(V a, V b, std::index_sequence<i...>) {
  return __builtin_shufflevector(
      a, b, (i % 2 * sizeof...(i) + i / per_lane * per_lane + from + i % per_lane / 2)...);
}

template <int lane, typename T, typename V, size_t... i>
NNRT_INLINE Elements<kLaneBytes, T> lane_of(V vector, std::index_sequence<i...>) {
  return __builtin_shufflevector(vector, vector, (size_t(lane) * sizeof...(i) + i)...);
}

// Stores the columns of one lane, `Rows` elements each.
template <int Bytes, int Rows, int Lane, typename T>
NNRT_INLINE void store_lanes(const Elements<Bytes, T>& vector, T* to, int64_t to_step) {
  constexpr int kColumns = kPerLane<T> / Rows;
  const Elements<kLaneBytes, T> lane = lane_of<Lane, T>(vector, std::make_index_sequence<kPerLane<T>>{});
  T* const target = to + Lane * kPerLane<T> * to_step;
  for (int c = 0; c < kColumns; ++c)
    std::memcpy(target + c * to_step, reinterpret_cast<const T*>(&lane) + c * Rows, Rows * sizeof(T));
  if constexpr ((Lane + 1) * kLaneBytes < Bytes) store_lanes<Bytes, Rows, Lane + 1>(vector, to, to_step);
}

// Transposes `Rows` rows of one vector each. Each pass moves the top bit of the row's number to the bottom of
// the position in the lane, and the top bit of that position to the bottom of the row's number.
template <int Bytes, int Rows, typename T>
NNRT_INLINE void transpose_block(const T* from, int64_t step, T* to, int64_t to_step) {
  using V = Elements<Bytes, T>;
  constexpr std::make_index_sequence<Bytes / sizeof(T)> kAll;
  constexpr int kHalf = Rows / 2;
  V rows[Rows];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) std::memcpy(&rows[r], from + r * step, Bytes);
#pragma GCC unroll 4
  for (int pass = 1; pass < Rows; pass *= 2) {
    V next[Rows];
#pragma GCC unroll 8
    for (int i = 0; i < kHalf; ++i) {
      next[2 * i] = unpacked<0, kPerLane<T>>(rows[i], rows[i + kHalf], kAll);
      next[2 * i + 1] = unpacked<kPerLane<T> / 2, kPerLane<T>>(rows[i], rows[i + kHalf], kAll);
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) rows[r] = next[r];
  }
  constexpr int kColumns = kPerLane<T> / Rows;  // per lane of a vector
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) store_lanes<Bytes, Rows, 0>(rows[r], to + r * kColumns * to_step, to_step);
}

// Fewer columns than a lane holds. Reads past the end of a row if the following rows cover it.
template <int Rows, typename T>
NNRT_INLINE void transpose_narrow(const MatrixShape& shape, int64_t row, const T* from, T* to,
                                  int64_t to_step) {
  T square[Rows * kPerLane<T>] = {}, turned[Rows * kPerLane<T>];
  const T* source = from + row * shape.step;
  int64_t step = shape.step;
  const int64_t end = (row + Rows - 1) * step + kPerLane<T>;
  if (end > (shape.rows - 1) * step + shape.columns) {
    for (int r = 0; r < Rows; ++r) std::copy_n(source + r * step, shape.columns, square + r * kPerLane<T>);
    source = square;
    step = kPerLane<T>;
  }
  transpose_block<kLaneBytes, Rows>(source, step, turned, Rows);
  for (int64_t c = 0; c < shape.columns; ++c)
    std::memcpy(to + c * to_step + row, turned + c * Rows, Rows * sizeof(T));
}

// The last block of rows or columns may overlap the one before it.
template <int Bytes, int Rows, typename T>
NNRT_INLINE void transpose_rows_of(const MatrixShape& shape, const T* from, T* to, int64_t to_step) {
  constexpr int64_t kColumns = Bytes / int(sizeof(T));
  for (int64_t column = 0; column < shape.columns; column += kColumns) {
    const int64_t c = std::min(column, shape.columns - kColumns);
    for (int64_t row = 0; row < shape.rows; row += Rows) {
      const int64_t r = std::min(row, shape.rows - Rows);
      transpose_block<Bytes, Rows>(from + r * shape.step + c, shape.step, to + c * to_step + r, to_step);
    }
  }
}

template <int Bytes, int Rows, typename T>
NNRT_INLINE void transpose_by(const MatrixShape& shape, const T* from, T* to, int64_t to_step) {
  if (shape.columns >= Bytes / int(sizeof(T)))
    return transpose_rows_of<Bytes, Rows>(shape, from, to, to_step);
  if constexpr (Bytes > kLaneBytes) {
    transpose_by<Bytes / 2, Rows>(shape, from, to, to_step);
  } else {
    for (int64_t row = 0; row < shape.rows; row += Rows)
      transpose_narrow<Rows>(shape, std::min(row, shape.rows - Rows), from, to, to_step);
  }
}

template <int Bytes, int Rows, typename T>
NNRT_INLINE void transpose_at_most(const MatrixShape& shape, const T* from, T* to, int64_t to_step) {
  constexpr int kFewest = 4;
  if (shape.rows >= Rows) return transpose_by<Bytes, Rows>(shape, from, to, to_step);
  if constexpr (Rows > kFewest) {
    transpose_at_most<Bytes, Rows / 2>(shape, from, to, to_step);
  } else {
    for (int64_t r = 0; r < shape.rows; ++r)
      for (int64_t c = 0; c < shape.columns; ++c) to[c * to_step + r] = from[r * shape.step + c];
  }
}

// At least a vector of rows and columns, in squares that load and store whole vectors.
template <int Bytes>
NNRT_INLINE void transpose_squares(const MatrixShape& shape, const uint32_t* from, uint32_t* to,
                                   int64_t to_step) {
  constexpr int64_t kLanes = kVectorLanes<Bytes>;
  for (int64_t row = 0; row < shape.rows; row += kLanes) {
    const int64_t r = std::min(row, shape.rows - kLanes);
    for (int64_t column = 0; column < shape.columns; column += kLanes) {
      const int64_t c = std::min(column, shape.columns - kLanes);
      Vector<Bytes> square[kLanes];
#pragma GCC unroll 16
      for (int64_t i = 0; i < kLanes; ++i) std::memcpy(&square[i], from + (r + i) * shape.step + c, Bytes);
      transpose<Bytes>(square);
#pragma GCC unroll 16
      for (int64_t i = 0; i < kLanes; ++i) std::memcpy(to + (c + i) * to_step + r, &square[i], Bytes);
    }
  }
}

template <typename T>
void transpose_elements(int vector_bytes, const MatrixShape& shape, const T* from, T* to, int64_t to_step) {
  constexpr int kInLanes = 32;  // longer vectors do not make unpacking faster
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        if constexpr (bytes == 64 && sizeof(T) == sizeof(float)) {
          if (std::min(shape.rows, shape.columns) >= kVectorLanes<bytes>)
            return transpose_squares<bytes>(shape, from, to, to_step);
        }
        transpose_at_most<std::min<int>(bytes, kInLanes), kPerLane<T>>(shape, from, to, to_step);
      });
}

// Drops the last of each four bytes; the end of a lane is unspecified.
template <typename V, size_t... i>
NNRT_INLINE V without_fourth(V quads, std::index_sequence<i...>) {
  return __builtin_shufflevector(quads, quads,
                                 (i / 16 * 16 + (i % 16 < 12 ? i % 16 / 3 * 4 + i % 16 % 3 : 0))...);
}

// Interleaves three lines by vectors; returns the number of elements of each line that it has stored.
template <int Bytes>
NNRT_INLINE int64_t interleave_by(const uint8_t* from, int64_t step, int64_t count, uint8_t* to) {
  using V = Elements<Bytes, uint8_t>;
  constexpr std::make_index_sequence<size_t(Bytes)> kAll;
  constexpr int kPixels = 4, kUsed = 3 * kPixels;  // of a 16-byte lane
  int64_t done = 0;
  // Each store writes four bytes too many, which the next one overwrites.
  for (; done + Bytes + kPixels <= count; done += Bytes) {
    V a, b, c;
    std::memcpy(&a, from + done, Bytes);
    std::memcpy(&b, from + step + done, Bytes);
    std::memcpy(&c, from + 2 * step + done, Bytes);
    const V even[2] = {unpacked<0, 16>(a, c, kAll), unpacked<8, 16>(a, c, kAll)};
    const V odd[2] = {unpacked<0, 16>(b, b, kAll), unpacked<8, 16>(b, b, kAll)};
    V quads[4];  // per lane: a, b, c, b of four elements
    for (int half = 0; half < 2; ++half) {
      quads[2 * half] = unpacked<0, 16>(even[half], odd[half], kAll);
      quads[2 * half + 1] = unpacked<8, 16>(even[half], odd[half], kAll);
    }
    alignas(Bytes) uint8_t stored[4][Bytes];
    for (int q = 0; q < 4; ++q) {
      const V packed = without_fourth(quads[q], kAll);
      std::memcpy(stored[q], &packed, Bytes);
    }
    for (int lane = 0; lane < Bytes / kLaneBytes; ++lane)
      for (int q = 0; q < 4; ++q)
        std::memcpy(to + 3 * done + (lane * 4 + q) * kUsed, stored[q] + lane * kLaneBytes, kLaneBytes);
  }
  return done;
}

// Part `Part` of three vectors' interleaved lanes: those of a and b, then those of c.
template <int Bytes, size_t Part, size_t... i>
NNRT_INLINE Vector<Bytes> part_of_three(Vector<Bytes> a, Vector<Bytes> b, Vector<Bytes> c,
                                        std::index_sequence<i...>) {
  constexpr size_t kLanes = sizeof...(i), kFirst = Part * kLanes;
  const Vector<Bytes> two =
      __builtin_shufflevector(a, b, ((kFirst + i) / 3 + ((kFirst + i) % 3 == 1 ? kLanes : 0))...);
  return __builtin_shufflevector(two, c, ((kFirst + i) % 3 == 2 ? kLanes + (kFirst + i) / 3 : i)...);
}

template <int Bytes>
NNRT_INLINE int64_t interleave_by(const uint32_t* from, int64_t step, int64_t count, uint32_t* to) {
  constexpr int64_t kLanes = kVectorLanes<Bytes>;
  constexpr std::make_index_sequence<size_t(kLanes)> kAll;
  int64_t done = 0;
  for (; done + kLanes <= count; done += kLanes) {
    Vector<Bytes> a, b, c;
    std::memcpy(&a, from + done, Bytes);
    std::memcpy(&b, from + step + done, Bytes);
    std::memcpy(&c, from + 2 * step + done, Bytes);
    const Vector<Bytes> parts[3] = {part_of_three<Bytes, 0>(a, b, c, kAll),
                                    part_of_three<Bytes, 1>(a, b, c, kAll),
                                    part_of_three<Bytes, 2>(a, b, c, kAll)};
    std::memcpy(to + 3 * done, parts, sizeof parts);
  }
  return done;
}

template <typename T>
void interleave_lines(int vector_bytes, const T* from, int64_t step, int64_t count, T* to) {
  int64_t done = 0;
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        done = interleave_by<bytes>(from, step, count, to);
      });
  for (int64_t i = done; i < count; ++i)
    for (int64_t line = 0; line < 3; ++line) to[3 * i + line] = from[line * step + i];
}

}  // namespace

void transpose_matrix(int vector_bytes, const MatrixShape& shape, const uint8_t* from, uint8_t* to,
                      int64_t to_step) {
  transpose_elements(vector_bytes, shape, from, to, to_step);
}
void transpose_matrix(int vector_bytes, const MatrixShape& shape, const uint16_t* from, uint16_t* to,
                      int64_t to_step) {
  transpose_elements(vector_bytes, shape, from, to, to_step);
}
void transpose_matrix(int vector_bytes, const MatrixShape& shape, const uint32_t* from, uint32_t* to,
                      int64_t to_step) {
  transpose_elements(vector_bytes, shape, from, to, to_step);
}

void interleave_three(int vector_bytes, const uint8_t* from, int64_t step, int64_t count, uint8_t* to) {
  interleave_lines(vector_bytes, from, step, count, to);
}
void interleave_three(int vector_bytes, const uint32_t* from, int64_t step, int64_t count, uint32_t* to) {
  interleave_lines(vector_bytes, from, step, count, to);
}

}  // namespace nnrt::cpu
