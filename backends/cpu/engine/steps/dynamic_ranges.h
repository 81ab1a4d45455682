// DynamicQuantizeLinear as one step: range, scale, zero point and codes of a tensor.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

namespace nnrt::cpu {

// Sets Quantization::finds_range, Step::folded of the nodes that find the range, and Step::placed of those
// whose result is a scale or a zero point. Call after find_rounding_steps(). Results don't change.
void find_dynamic_ranges(Program& program);

// The scale and zero point of UINT8 codes of all values.
struct DynamicRange {
  float scale, zero_point;
};
DynamicRange range_of(const float* values, int64_t count, ThreadPool& pool);

}  // namespace nnrt::cpu
