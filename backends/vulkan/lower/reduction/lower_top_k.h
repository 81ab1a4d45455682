// The k largest elements along the middle dimension of a tensor, for TOP_K and ARG_MAX. A workgroup selects
// them by radix, or each element counts the elements ranked before it. Long lines are first split into chunks
// that keep only their k largest.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/reduction/reduction_steps.h"

namespace nnrt::vulkan {

struct Selection {
  Buffer x;
  DType dtype{};  // FLOAT16, FLOAT32, INT32 or INT8
  ReductionShape shape;
  uint32_t k = 1;
  bool ascending = false;
  DType index_dtype = DType::i32;
  std::optional<Buffer> values, indices;  // set if wanted
};

Status add_selection(const LoweringContext& context, const Selection& selection);

Status lower_top_k(const LoweringContext& context);
std::vector<std::string_view> top_k_kernels();

}  // namespace nnrt::vulkan
