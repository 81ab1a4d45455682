#include "backends/vulkan/barriers.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

bool touches(const std::vector<Region>& regions, const Region& region) {
  return std::any_of(regions.begin(), regions.end(), [&](const Region& r) { return overlap(r, region); });
}

}  // namespace

void place_barriers(std::span<Step> steps, const DevicePlan& plan) {
  std::vector<Region> read, written;  // since the last barrier
  for (Step& step : steps) {
    step.barrier = false;
    for (size_t i = 0; i < step.regions.size(); ++i) {
      const Region region = shown(step, i, plan);
      if (touches(written, region) || (step.access[i].writes && touches(read, region))) step.barrier = true;
    }
    if (step.barrier) {
      read.clear();
      written.clear();
    }
    for (size_t i = 0; i < step.regions.size(); ++i) {
      if (step.access[i].writes) {
        written.push_back(step.regions[i]);
      } else if (step.regions[i].home != Region::Home::constant) {
        read.push_back(shown(step, i, plan));
      }
    }
  }
}

}  // namespace nnrt::vulkan
