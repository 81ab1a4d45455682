// ADD, SUB and MUL of two INT8 tensors with per-tensor quantization.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "backends/cpu/int8/int8_fixed_point.h"

namespace nnrt::cpu {

// Returns whether the node's dtypes, scales and zero points permit the vectorized formulas.
bool supports_int8_arithmetic(const NodeView& node);

// Matches dequantize(), the activation and quantize() exactly.
struct ExactFormula {
  bool multiplies;
  Affine a, b, to;
  double sign_b;     // -1 for SUB
  double low, high;  // bounds of the activation
};
// `first`: the input that is a.
ExactFormula exact_formula(const NodeView& node, size_t first = 0);
// Computes kSumBlock elements. `to` may be an operand.
void compute_exactly(const ExactFormula& formula, const int8_t* a, const int8_t* b, int8_t* to);

// The codes of the activation's bounds.
struct CodeBounds {
  int32_t low, high;
};
CodeBounds code_bounds(const NodeView& node);

// A sum in fixed point, and exactly where that is too close to a tie.
struct Int8Sum {
  FixedSum fixed;
  ExactFormula exact;
};
Int8Sum int8_sum(const NodeView& node, size_t first = 0);

}  // namespace nnrt::cpu
