// fp16 ATTENTION by cooperative matrices.
#pragma once

#include "backends/vulkan/lower/attention/attention_work.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// Reasons that do not depend on the rows per workgroup.
WhyNot why_not_attention_matrix(const Attention& shape, const DevicePlan& plan);

// Workgroups of 64, 32 or 16 rows.
WhyNot why_not_attention_matrix(const LoweringContext& context, const AttentionWork& work, uint32_t rows);
Status add_attention_matrix(const LoweringContext& context, const AttentionWork& work, uint32_t rows);

}  // namespace nnrt::vulkan
