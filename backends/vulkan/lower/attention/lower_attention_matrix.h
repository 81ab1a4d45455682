// ATTENTION of fp16 values by the matrices that subgroups multiply together.
#pragma once

#include "backends/vulkan/lower/attention/attention_work.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// Returns why attention of fp16 operands is not computed so, whatever number of rows a workgroup has.
WhyNot why_not_attention_matrix(const Attention& shape, const DevicePlan& plan);

// By workgroups of 64, 32 or 16 rows.
WhyNot why_not_attention_matrix(const LoweringContext& context, const AttentionWork& work, uint32_t rows);
Status add_attention_matrix(const LoweringContext& context, const AttentionWork& work, uint32_t rows);

}  // namespace nnrt::vulkan
