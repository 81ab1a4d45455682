// Products of rows with panels of weights, for layers that keep theirs packed: LSTM, GRU, RNN.
#pragma once

#include "backends/cpu/gemm/f32_microkernel.h"
#include "backends/cpu/simd/simd.h"

#include <limits>

namespace nnrt::cpu {

// Some rows of `inner` floats, `step` apart.
struct Rows {
  const float* data;
  int64_t step, count, inner;
};
struct Target {
  float* data;
  int64_t step;
  bool adds;  // to what is there
};

inline void multiply_rows(const Rows& from, const float* panels, int64_t columns, const float* bias,
                          const Target& to) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const int64_t max_rows = f32_block(vector_bytes()).rows, blocks = (from.count + max_rows - 1) / max_rows;
  F32Rows rows;
  rows.first = from.data;
  rows.step = from.step;
  rows.tap_floats = from.inner;
  rows.count = from.count;
  rows.block_rows = (from.count + blocks - 1) / blocks;
  const F32Epilogue epilogue{bias, -kInfinity, kInfinity, to.adds ? to.data : nullptr, -kInfinity, kInfinity};
  multiply_f32(vector_bytes(), rows, panels, columns, epilogue, to.data, to.step);
}

}  // namespace nnrt::cpu
