// GEMMs of few rows by workgroups that share columns: what takes time is to read the second operand once.
#pragma once

#include "backends/vulkan/lower/gemm/lower_gemm.h"

namespace nnrt::vulkan {

// `by_subgroups`: they add the sums of a column, and not shared memory alone.
WhyNot why_not_gemv(const LoweringContext& context, const Gemm& gemm, bool by_subgroups);
Status add_gemv(const LoweringContext& context, const Gemm& gemm, bool by_subgroups);

}  // namespace nnrt::vulkan
