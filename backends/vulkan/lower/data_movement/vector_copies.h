// Plans copy.comp for regions whose elements can move several at a time although they are not contiguous at
// both ends. Pure.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/schema/data_movement/copy_regions.h"

#include <optional>

namespace nnrt::vulkan {

// How an invocation moves elements, as numbered in copy.comp, and the input strides between neighbours in the
// output.
struct VectorCopy {
  enum Number : uint32_t {
    single,
    vector,
    interleaved,
    word,
    transposed,
    transposed_vectors,
    transposed_lines,
    scattered_words
  };
  Number number = single;
  int64_t within_pair = 0, between_pairs = 0;

  // Each invocation does one block; the last dimension of the region is blocked, and the blocks form its
  // outermost dimension.
  bool walks_blocks() const { return number >= transposed_lines; }
};

// A region as copy.comp iterates over it.
struct Gather {
  CopyRegion region;
  VectorCopy vectors = {};
  int64_t last = 0;                     // size of the last dimension over all blocks, if blocked
  std::optional<CopyRegion> rest = {};  // remaining elements
};

// Returns whether all runs of `lanes` elements are aligned in the output (`divides`: at both ends).
bool gathers(const CopyRegion& region, int64_t lanes);
bool divides(const CopyRegion& region, int64_t lanes);

// Reinterprets the region with elements `lanes` times as wide.
CopyRegion in_wider_elements(CopyRegion region, int64_t lanes);

// For elements of 1, 2 or 4 bytes; nullopt if they can only be copied one by one.
std::optional<Gather> find_gather(const CopyRegion& region, size_t element_bytes, const DevicePlan& plan);

}  // namespace nnrt::vulkan
