// Operands cut into what a view of texels shows: some devices limit it to a megabyte.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/pipeline/dispatch.h"

#include <vector>

namespace nnrt::vulkan {

// Units (rows, blocks of columns) of an operand for one dispatch.
struct Cut {
  uint32_t first = 0, count = 0;
  Slice slice;        // all of the buffer where it is {}
  uint32_t skip = 0;  // texels from where the slice begins to unit `first`
};

// Returns the number of texels in a view of a part of a buffer, wherever the part begins.
uint64_t texels_of_part(const DevicePlan& plan);

// The texels [from, from + texels) of a buffer: a slice, and in `skip` where in it they begin.
Cut view_of(uint64_t from, uint64_t texels, const DevicePlan& plan);

// `count` units of `unit` texels each, from texel `from` of a buffer of `whole` texels on; uncut where all of
// the buffer can be seen. Parts have a multiple of `even` units, if they can.
std::vector<Cut> cut_units(uint64_t from, uint32_t count, uint64_t unit, uint64_t whole, uint32_t even,
                           const DevicePlan& plan);

}  // namespace nnrt::vulkan
