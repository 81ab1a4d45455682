// ATTENTION of few rows, as when a text is written token by token: workgroups share the keys where there are
// many of these and few workgroups.
#pragma once

#include "backends/vulkan/lower/attention/attention_work.h"
#include "core/passes/kernel_choice.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

WhyNot why_not_decode(const LoweringContext& context, const AttentionWork& work);
Status add_decode(const LoweringContext& context, const AttentionWork& work);
std::vector<std::string_view> decode_kernels();

}  // namespace nnrt::vulkan
