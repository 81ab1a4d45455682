// Splits operands to fit texel buffer views, which some devices limit to a megabyte.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/pipeline/dispatch.h"

#include <vector>

namespace nnrt::vulkan {

// The units (rows or column blocks) of an operand that one dispatch reads.
struct TexelRange {
  uint32_t first = 0, count = 0;
  Slice slice;        // empty: the entire buffer
  uint32_t skip = 0;  // texels from the start of the slice to unit `first`
};

// The fewest texels that a view into a buffer can cover, at any offset.
uint64_t texels_of_part(const DevicePlan& plan);

// A view of texels [from, from + texels); `skip` is where they start within the slice.
TexelRange view_of(uint64_t from, uint64_t texels, const DevicePlan& plan);

// Splits `count` units of `unit` texels each, starting at texel `from` of a buffer of `whole` texels. One cut
// if a view covers the buffer. Cuts are multiples of `even` units if possible.
std::vector<TexelRange> cut_units(uint64_t from, uint32_t count, uint64_t unit, uint64_t whole, uint32_t even,
                                  const DevicePlan& plan);

}  // namespace nnrt::vulkan
