#include "backends/vulkan/program/place_barriers.h"

#include "backends/vulkan/program/touched_regions.h"

namespace nnrt::vulkan {

void insert_barriers(std::span<Step> steps, const DevicePlan& plan) {
  TouchedRegions touched(plan);  // since the last barrier
  for (Step& step : steps) {
    step.barrier = touched.must_precede(step);
    if (step.barrier) touched.clear();
    touched.add(step);
  }
}

}  // namespace nnrt::vulkan
