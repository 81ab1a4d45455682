// ATTENTION of few query rows, as in token-by-token decoding. If there are many keys and few workgroups,
// several workgroups share the keys of a row.
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
