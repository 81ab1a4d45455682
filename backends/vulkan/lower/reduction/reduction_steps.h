// Reductions over the middle of a tensor viewed as (outer, length, inner): for the reduce family and as steps
// of other operators.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

struct ReductionShape {
  uint32_t outer = 1, length = 1, inner = 1;

  uint32_t results() const { return outer * inner; }
};

// Dimensions [from, to) become the middle.
ReductionShape reduction_shape(const Shape& shape, size_t from, size_t to);

// Must match reduce.comp.
enum class Reduce : uint32_t { sum, product, maximum, minimum, all };

struct Reduction {
  Reduce op{};
  DType dtype{};
  bool squares = false;  // reduces the squares of the elements
  bool root = false;     // takes the square root of the result
  uint32_t divisor = 1;
  float factor = 1;
};

// A global pool over `cells` cells.
Reduction whole_pool(bool is_maximum, uint32_t cells);

// Reduces `from` into `to`. If results are few and long, uses two passes with partial results in scratch
// memory.
Status add_reduction(const LoweringContext& context, const Reduction& reduction, const ReductionShape& shape,
                     Buffer from, Buffer to);
std::vector<std::string_view> reduction_kernels();

}  // namespace nnrt::vulkan
