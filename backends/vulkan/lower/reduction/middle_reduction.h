// Reductions over the middle of a tensor seen as (outer, length, inner): the reduce family's, and steps of
// others.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

struct Middle {
  uint32_t outer = 1, length = 1, inner = 1;

  uint32_t results() const { return outer * inner; }
};

// With dimensions [from, to) as the middle.
Middle middle_of(const Shape& shape, size_t from, size_t to);

// Numbers as in reduce.comp.
enum class Reduce : uint32_t { sum, product, maximum, minimum, all };

struct Reduction {
  Reduce op{};
  DType dtype{};
  bool squares = false;  // sums squares of the elements
  bool root = false;     // takes the root of the result
  uint32_t divisor = 1;
  float factor = 1;
};

// A pool over so many cells, which are all of its input.
Reduction whole_pool(bool is_maximum, uint32_t cells);

// From one buffer to the other; where results are few and long, through partial results in scratch.
Status add_reduction(const LoweringContext& context, const Reduction& reduction, const Middle& shape,
                     Buffer from, Buffer to);
std::vector<std::string_view> reduction_kernels();

}  // namespace nnrt::vulkan
