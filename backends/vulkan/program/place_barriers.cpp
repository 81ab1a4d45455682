#include "backends/vulkan/program/place_barriers.h"

#include <algorithm>
#include <iterator>

namespace nnrt::vulkan {
namespace {

bool is_in(const std::tuple<BufferRegion::Kind, uint32_t, uint64_t>& begin, const BufferRegion& region) {
  return std::get<0>(begin) == region.kind && std::get<1>(begin) == region.index;
}

// A part that the step also reads is not treated as separate from other parts.
TensorPart written_part(const Step& step, size_t i) {
  const Access& access = step.access[i];
  return access.writes && !access.reads ? step.regions[i].part : TensorPart();
}

}  // namespace

bool TouchedBytes::touch(const BufferRegion& region) const {
  const auto behind = pieces_.lower_bound(begin_of(region, region.offset + region.bytes));
  if (behind == pieces_.begin()) return false;
  const auto& [begin, end] = *std::prev(behind);
  return is_in(begin, region) && end > region.offset;
}

void TouchedBytes::add(const BufferRegion& region) {
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

void TouchedRegions::clear() {
  read_.clear();
  written_.clear();
  parts_.clear();
}

void TouchedRegions::add(const Step& step) {
  for (size_t i = 0; i < step.regions.size(); ++i) {
    const BufferRegion& region = step.regions[i];
    const TensorPart part = written_part(step, i);
    if (part.number > 0) {
      parts_[{part.tensor, part.number}].add(region);
    } else if (step.access[i].writes) {
      written_.add(region);
    } else if (region.kind != BufferRegion::Kind::constant) {
      read_.add(shown(step, i, plan_));
    }
  }
}

bool TouchedRegions::is_written(const BufferRegion& region, const TensorPart& part) const {
  return written_.touch(region) || std::ranges::any_of(parts_, [&](const auto& written) {
           const auto& [tensor, number] = written.first;
           const bool is_other = part.number > 0 && part.tensor == tensor && part.number != number;
           return !is_other && written.second.touch(region);
         });
}

bool TouchedRegions::must_precede(const Step& step) const {
  for (size_t i = 0; i < step.regions.size(); ++i) {
    const BufferRegion region = shown(step, i, plan_);
    if (is_written(region, written_part(step, i))) return true;
    if (step.access[i].writes && read_.touch(region)) return true;
  }
  return false;
}

void insert_barriers(std::span<Step> steps, const DevicePlan& plan) {
  TouchedRegions touched(plan);  // since the last barrier
  for (Step& step : steps) {
    step.barrier = touched.must_precede(step);
    if (step.barrier) touched.clear();
    touched.add(step);
  }
}

}  // namespace nnrt::vulkan
