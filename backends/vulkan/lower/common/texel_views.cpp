#include "backends/vulkan/lower/common/texel_views.h"

#include "backends/vulkan/pipeline/embedded_shaders.h"

#include <algorithm>

namespace nnrt::vulkan {

uint64_t texels_of_part(const DevicePlan& plan) {
  const uint64_t lost = plan.storage_alignment / kTexelBytes;
  return plan.max_texels > lost ? plan.max_texels - lost : 0;
}

TexelRange view_of(uint64_t from, uint64_t texels, const DevicePlan& plan) {
  const uint64_t begin = from * kTexelBytes / plan.storage_alignment * plan.storage_alignment;
  const uint64_t end = (from + texels) * kTexelBytes;
  return {0, 0, {begin, end - begin}, uint32_t(from - begin / kTexelBytes)};
}

std::vector<TexelRange> cut_units(uint64_t from, uint32_t count, uint64_t unit, uint64_t whole, uint32_t even,
                                  const DevicePlan& plan) {
  if (whole <= plan.max_texels) return {{0, count, {}, uint32_t(from)}};
  if (TexelRange all = view_of(from, count * unit, plan); all.slice.bytes <= plan.max_texels * kTexelBytes) {
    all.count = count;
    return {all};
  }
  auto max_units = uint32_t(std::min<uint64_t>(texels_of_part(plan) / unit, count));
  if (max_units > even) max_units -= max_units % even;
  std::vector<TexelRange> cuts;
  for (uint32_t first = 0; first < count; first += max_units) {
    const uint32_t now = std::min(max_units, count - first);
    TexelRange cut = view_of(from + first * unit, now * unit, plan);
    cut.first = first;
    cut.count = now;
    cuts.push_back(cut);
  }
  return cuts;
}

}  // namespace nnrt::vulkan
