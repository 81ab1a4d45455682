// GEMMs of few rows, bound by reading the second operand: workgroups share columns so that it is read once.
#pragma once

#include "backends/vulkan/lower/gemm/lower_gemm.h"

namespace nnrt::vulkan {

// `by_subgroups`: reduce a column by subgroup operations, not through shared memory alone.
WhyNot why_not_gemv(const LoweringContext& context, const Gemm& gemm, bool by_subgroups);
// Loop iterations per invocation and matrix.
uint64_t gemv_iterations(const Gemm& gemm, const DevicePlan& plan);
Status add_gemv(const LoweringContext& context, const Gemm& gemm, bool by_subgroups);

}  // namespace nnrt::vulkan
