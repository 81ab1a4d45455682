// Dynamically quantized products: SUB (of zero points), CAST to FLOAT32, MUL (scale) and ADD (bias) in the
// epilogue of the product of integers, with the MULs that make the subtrahend and the scale.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

namespace nnrt::cpu {

// Sets Step::scaled of CASTs, and Step::folded of the nodes before them. Results don't change.
void find_scaled_products(Program& program, ThreadPool& pool);

}  // namespace nnrt::cpu
