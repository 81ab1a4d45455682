// Copy regions whose elements go several at a time, where they do not lie together at both ends: how
// copy.comp takes them, and in which order. Pure.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/schema/data_movement/copy_regions.h"

#include <optional>

namespace nnrt::vulkan {

// The way in which an invocation moves elements, by copy.comp's numbers, and the distances in the input
// between neighbours in the output.
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

  bool reads_vectors() const { return number == interleaved || number >= transposed_vectors; }
  // All of an invocation's work is one of these; the region's outermost dimension has blocks of the last one.
  bool walks_blocks() const { return number >= transposed_lines; }
};

// A region as copy.comp walks it.
struct Gather {
  CopyRegion region;
  VectorCopy vectors = {};
  int64_t last = 0;  // size of the last dimension in all of its blocks, if these are walked
  std::optional<CopyRegion> rest = {};  // elements that are left
};

// Returns whether every run of `lanes` neighbours starts at a multiple of `lanes` in the output; at both
// ends.
bool gathers(const CopyRegion& region, int64_t lanes);
bool divides(const CopyRegion& region, int64_t lanes);

// A region whose runs divide, in elements `lanes` times as wide.
CopyRegion in_wider_elements(CopyRegion region, int64_t lanes);

// For elements of 1, 2 or 4 bytes; nothing where they go one by one.
std::optional<Gather> find_gather(const CopyRegion& region, size_t element_bytes, const DevicePlan& plan);

}  // namespace nnrt::vulkan
