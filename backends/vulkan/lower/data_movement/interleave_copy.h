// Two tensors whose elements lie in turns in a third, as the shuffle of two groups of channels has them.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/data_movement/fused_copies.h"

namespace nnrt::vulkan {

// Elements of two or four bytes: `rows` of `pairs`, one behind the other, of which each has an element of
// both.
struct InterleavedCopy {
  struct Source {
    TensorId tensor = 0;
    int64_t offset = 0, row = 0;  // the first element, and the distance between rows
  };
  Source first, second;
  int64_t rows = 0, pairs = 0;
};

// These parts, where they make up a whole tensor of so many elements like this.
std::optional<InterleavedCopy> interleaved_copy_of(const std::vector<CopiedRegion>& parts, int64_t elements);

void add_interleaved_copy(const LoweringContext& context, const InterleavedCopy& interleaved, Buffer to);

}  // namespace nnrt::vulkan
