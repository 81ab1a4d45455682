// Interleaves the elements of two tensors, as a channel shuffle of two groups does.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/data_movement/fused_copies.h"

namespace nnrt::vulkan {

// `rows` contiguous rows of `pairs`; each pair takes one element of 2 or 4 bytes from each source.
struct InterleavedCopy {
  struct Source {
    TensorId tensor = 0;
    int64_t offset = 0, row = 0;  // first element, and row stride
  };
  Source first, second;
  int64_t rows = 0, pairs = 0;
};

// Recognizes `parts` as an interleaved copy that fills a tensor of `elements`.
std::optional<InterleavedCopy> interleaved_copy_of(const std::vector<CopiedRegion>& parts, int64_t elements);

void add_interleaved_copy(const LoweringContext& context, const InterleavedCopy& interleaved, Buffer to);

}  // namespace nnrt::vulkan
