#include "backends/vulkan/program/place_barriers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace nnrt::vulkan {
namespace {

// Bytes of buffers, as pieces that do not overlap: between two barriers there may be any number of steps.
class TouchedBytes {
 public:
  void clear() { pieces_.clear(); }

  bool touch(const BufferRegion& region) const {
    const auto behind = pieces_.lower_bound(begin_of(region, region.offset + region.bytes));
    if (behind == pieces_.begin()) return false;
    const auto& [begin, end] = *std::prev(behind);
    return is_in(begin, region) && end > region.offset;
  }

  void add(const BufferRegion& region) {
    uint64_t first = region.offset, last = region.offset + region.bytes;
    while (true) {
      auto found = pieces_.lower_bound(begin_of(region, last));
      if (found == pieces_.begin()) break;
      --found;
      const auto [begin, end] = *found;
      if (!is_in(begin, region) || end <= first) break;
      first = std::min(first, std::get<2>(begin));
      last = std::max(last, end);
      pieces_.erase(found);
    }
    pieces_.emplace(begin_of(region, first), last);
  }

 private:
  using Begin = std::tuple<BufferRegion::Home, uint32_t, uint64_t>;

  static Begin begin_of(const BufferRegion& region, uint64_t offset) {
    return {region.home, region.index, offset};
  }
  static bool is_in(const Begin& begin, const BufferRegion& region) {
    return std::get<0>(begin) == region.home && std::get<1>(begin) == region.index;
  }

  std::map<Begin, uint64_t> pieces_;  // the end of each
};

}  // namespace

void insert_barriers(std::span<Step> steps, const DevicePlan& plan) {
  TouchedBytes read, written;  // since the last barrier
  for (Step& step : steps) {
    step.barrier = false;
    for (size_t i = 0; i < step.regions.size(); ++i) {
      const BufferRegion region = shown(step, i, plan);
      if (written.touch(region) || (step.access[i].writes && read.touch(region))) step.barrier = true;
    }
    if (step.barrier) {
      read.clear();
      written.clear();
    }
    for (size_t i = 0; i < step.regions.size(); ++i) {
      if (step.access[i].writes) {
        written.add(step.regions[i]);
      } else if (step.regions[i].home != BufferRegion::Home::constant) {
        read.add(shown(step, i, plan));
      }
    }
  }
}

}  // namespace nnrt::vulkan
