// FLOAT32 GEMM: prepacked weights and bias, and the output epilogue.
#pragma once

#include "backends/cpu/gemm/f32_microkernel.h"
#include "backends/cpu/gemm/gemm_tiling.h"
#include "backends/cpu/simd/simd.h"

#include <limits>
#include <span>

namespace nnrt::cpu {

inline TileBlock f32_tile_block(const GemmProblem& gemm) {
  const F32Block block = f32_block(gemm.vectors);
  // Vectors are only shortened for panels of one, which leave registers for more rows.
  const int rows = gemm.vectors < vector_bytes() ? kMaxFloatRows : block.rows;
  // multiply_f32() uses only a span of long rows at once.
  const int64_t near = std::min(gemm.row_elements, kF32SpanFloats);
  return {rows, block.columns, near * int64_t(sizeof(float)), sizeof(float)};
}

// The panels of all groups, the bias of all channels (zeros if none), one vector of zeros, and the largest
// magnitude of the weights (0 unless requested). Cached if weights and bias are constant, otherwise made in
// the run. `weights` is input 1 or one of its matrices.
PrepackedBytes f32_weights(const KernelArgs& args, const GemmProblem& gemm, const float* weights,
                           bool finds_magnitude = false);
// The same, for kernels that reorder the weights first.
size_t f32_weight_bytes(const GemmProblem& gemm);
void write_f32_weights(const KernelArgs& args, const GemmProblem& gemm, const float* weights,
                       bool finds_magnitude, std::byte* memory);
// The same for weights [channels][inner / taps][taps], which are packed as [channels][taps][inner / taps].
void write_f32_weights_taps_last(const KernelArgs& args, const GemmProblem& gemm, const float* weights,
                                 int64_t taps, bool finds_magnitude, std::byte* memory);
float magnitude_of(const PrepackedBytes& weights, const GemmProblem& gemm);
int64_t f32_group_floats(const GemmProblem& gemm);  // in the panels of one group
// Packs the panels of one group.
void pack_f32(const GemmProblem& gemm, const float* weights, ThreadPool& pool, float* to);

// True for so few rows that the weights are read in place.
bool is_narrow(const GemmProblem& gemm);
void multiply_narrow(const KernelArgs& args, const GemmProblem& gemm, const float* rows, const float* weights,
                     float* to);

// The epilogue of a node with FLOAT32 output: activation and post-ops.
class F32OutputEpilogue {
 public:
  // `loop_adds`: the microkernel adds F32Epilogue::other.
  explicit F32OutputEpilogue(const KernelArgs& args, bool loop_adds = true);

  // For results from element `at` of the output; `bias` points at the first one's.
  F32Epilogue epilogue(const float* bias, int64_t at) const;
  // Completes one row of sums without bias from element `at` on.
  void store_row(std::span<const float> sums, const float* bias, int64_t at) const;
  // Applies the post-ops the microkernel skipped to rows x columns elements.
  void apply_rest(int64_t at, int64_t rows, int64_t columns, int64_t stride) const {
    apply_rest(args_.output<float>() + at, at, rows, columns, stride);
  }
  // The same, for results that are stored at `results` instead of the output.
  void apply_rest(float* results, int64_t at, int64_t rows, int64_t columns, int64_t stride) const;

 private:
  const KernelArgs& args_;
  F32Epilogue first_;
  size_t in_loop_ = 0;  // steps done by the microkernel
};

template <typename Locate>
void multiply_f32(const KernelArgs& args, const GemmProblem& gemm, const PrepackedBytes& prepacked,
                  int64_t group, const Locate& locate, int64_t first, int64_t stride) {
  const int64_t group_floats = f32_group_floats(gemm);
  const float* const panels = prepacked.as<float>() + group * group_floats;
  const float* const bias = prepacked.as<float>() + gemm.groups * group_floats + group * gemm.columns;
  const int64_t column_floats = gemm.inner();
  const F32OutputEpilogue end(args);
  float* const output = args.output<float>();
  for_tiles<float>(
      args, gemm, f32_tile_block(gemm), locate, [](const float* const*, int64_t, int, int32_t*) {},
      [&](const Tile& tile, const float* const* parts, const int32_t*) {
        F32Rows rows{parts, nullptr, 0, gemm.taps, gemm.tap_elements, tile.rows, tile.block_rows};
        if (parts == nullptr) {
          rows.first = locate.row_at(tile.row);
          rows.step = gemm.inner();
        }
        const int64_t at = first + tile.row * stride + tile.column;
        multiply_f32(gemm.vectors, rows, panels + tile.column * column_floats, tile.columns,
                     end.epilogue(bias + tile.column, at), output + at, stride);
        end.apply_rest(at, tile.rows, tile.columns, stride);
      });
}

// For LSTM, GRU, RNN, ATTENTION and MATMUL_NBITS, which manage their own panels.

// Rows of `inner` floats, `step` apart.
struct Rows {
  const float* data;
  int64_t step, count, inner;
};
struct Target {
  float* data;
  int64_t step;
  bool adds;  // accumulates into the output
};

inline void multiply_rows(const Rows& from, const float* panels, int64_t columns, const float* bias,
                          const Target& to) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const int64_t max_rows = f32_block(vector_bytes()).rows, blocks = divide_up(from.count, max_rows);
  F32Rows rows;
  rows.first = from.data;
  rows.step = from.step;
  rows.tap_floats = from.inner;
  rows.count = from.count;
  rows.block_rows = divide_up(from.count, blocks);
  const F32Epilogue epilogue{bias, -kInfinity, kInfinity, to.adds ? to.data : nullptr, -kInfinity, kInfinity};
  multiply_f32(vector_bytes(), rows, panels, columns, epilogue, to.data, to.step);
}

}  // namespace nnrt::cpu
