// Out-of-place transposes of matrices of 1-, 2- and 4-byte elements.
#pragma once

#include <cstdint>

namespace nnrt::cpu {

// The source: `rows` rows of `columns` contiguous elements, `step` elements apart.
struct MatrixShape {
  int64_t rows, columns, step;
};

// to[c * to_step + r] = from[r * step + c], by vectors of up to `vector_bytes` bytes.
void transpose_matrix(int vector_bytes, const MatrixShape& shape, const uint8_t* from, uint8_t* to,
                      int64_t to_step);
void transpose_matrix(int vector_bytes, const MatrixShape& shape, const uint16_t* from, uint16_t* to,
                      int64_t to_step);
void transpose_matrix(int vector_bytes, const MatrixShape& shape, const uint32_t* from, uint32_t* to,
                      int64_t to_step);

// to[3 * i + line] = from[line * step + i] for `count` elements of three lines.
void interleave_three(int vector_bytes, const uint8_t* from, int64_t step, int64_t count, uint8_t* to);
void interleave_three(int vector_bytes, const uint32_t* from, int64_t step, int64_t count, uint32_t* to);

}  // namespace nnrt::cpu
