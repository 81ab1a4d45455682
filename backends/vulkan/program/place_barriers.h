// Inserts barriers between commands that depend on each other.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"

#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace nnrt::vulkan {

// A set of bytes of buffers, as disjoint intervals, for any number of steps.
class TouchedBytes {
 public:
  void clear() { pieces_.clear(); }
  bool touch(const BufferRegion& region) const;
  void add(const BufferRegion& region);

 private:
  using Begin = std::tuple<BufferRegion::Kind, uint32_t, uint64_t>;

  static Begin begin_of(const BufferRegion& region, uint64_t offset) {
    return {region.kind, region.index, offset};
  }

  std::map<Begin, uint64_t> pieces_;  // end of each interval
};

// Memory read and written by steps.
class TouchedRegions {
 public:
  explicit TouchedRegions(const DevicePlan& plan) : plan_(plan) {}

  void clear();
  void add(const Step& step);
  // Returns whether the step depends on one of the added steps.
  bool must_precede(const Step& step) const;

 private:
  bool is_written(const BufferRegion& region, const TensorPart& part) const;

  const DevicePlan& plan_;
  TouchedBytes read_, written_;
  std::map<std::pair<uint32_t, uint32_t>, TouchedBytes> parts_;  // written parts, by tensor and part number
};

// Sets Step::barrier on steps that touch memory written since the last barrier, or write memory read since
// then.
void insert_barriers(std::span<Step> steps, const DevicePlan& plan);

}  // namespace nnrt::vulkan
