// Weights stored as 16-bit floats, in the panels of the FLOAT32 GEMM: half the memory, widened in registers.
#pragma once

#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/gemm/matmul_kernels.h"

namespace nnrt::cpu {

// unknown: the weights were packed for another kernel and released.
enum class HalfForm : uint8_t { none, fp16, bf16, unknown };

// A form that represents every value exactly; with `may_round`, otherwise fp16 if no value overflows.
HalfForm half_form_of(const float* weights, int64_t count, bool may_round, ThreadPool& pool);

// The form of a node's constant weights, which are examined only once.
HalfForm half_form_of(const MatMulProblem& problem);

// Prepacked: a header, the panels, and the bias of all columns (zeros if none), padded to full vectors.
class HalfWeights {
 public:
  // The weights must have a form.
  explicit HalfWeights(const MatMulProblem& problem);

  bool is_bfloat() const;
  const float* bias() const;
  // Panels have the layout of multiply_f32().
  const uint16_t* panel(int64_t index) const;
  int64_t panels() const;
  int64_t columns_of(int64_t panel) const;

  // Returns whether bytes from a cache file have this layout.
  static bool is_layout(ByteView bytes);

 private:
  GemmProblem gemm_;
  PrepackedBytes prepacked_;
};

}  // namespace nnrt::cpu
