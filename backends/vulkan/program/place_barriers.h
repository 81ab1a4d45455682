// Finds the commands that must wait for those before.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"

#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace nnrt::vulkan {

// Bytes of buffers, as pieces that do not overlap: there may be any number of steps.
class TouchedBytes {
 public:
  void clear() { pieces_.clear(); }
  bool touch(const BufferRegion& region) const;
  void add(const BufferRegion& region);

 private:
  using Begin = std::tuple<BufferRegion::Home, uint32_t, uint64_t>;

  static Begin begin_of(const BufferRegion& region, uint64_t offset) {
    return {region.home, region.index, offset};
  }

  std::map<Begin, uint64_t> pieces_;  // the end of each
};

// The memory that steps read and write.
class TouchedRegions {
 public:
  explicit TouchedRegions(const DevicePlan& plan) : plan_(plan) {}

  void clear();
  void add(const Step& step);
  // Returns whether the step must come behind one of those that were added.
  bool must_precede(const Step& step) const;

 private:
  bool is_written(const BufferRegion& region, const TensorPart& part) const;

  const DevicePlan& plan_;
  TouchedBytes read_, written_;
  std::map<std::pair<uint32_t, uint32_t>, TouchedBytes> parts_;  // written, by tensor and number
};

// Sets Step::barrier where a step touches a region that was written since the last barrier, or writes one
// that was read.
void insert_barriers(std::span<Step> steps, const DevicePlan& plan);

}  // namespace nnrt::vulkan
