#include "core/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace nnrt {
namespace {

struct Placed {
  size_t offset, end;
  uint32_t first, last;
};

// The lowest offset at which `bytes` fit between those placed that live at the same time. `placed` is sorted
// by offset.
size_t lowest_gap(const std::vector<Placed>& placed, const Lifetime& lifetime, size_t bytes) {
  size_t offset = 0;
  for (const Placed& other : placed) {
    const bool together = other.first <= lifetime.last && lifetime.first <= other.last;
    if (!together) continue;
    if (other.offset >= offset + bytes) break;
    offset = std::max(offset, other.end);
  }
  return offset;
}

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> lifetimes, size_t alignment) {
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });

  MemoryPlan plan{0, std::vector<size_t>(lifetimes.size(), 0)};
  std::vector<Placed> placed;
  for (const size_t index : order) {
    const Lifetime& lifetime = lifetimes[index];
    const size_t bytes = (lifetime.bytes + alignment - 1) / alignment * alignment;
    if (bytes == 0) continue;
    const size_t offset = lowest_gap(placed, lifetime, bytes);
    const Placed entry{offset, offset + bytes, lifetime.first, lifetime.last};
    const auto at = std::upper_bound(placed.begin(), placed.end(), entry,
                                     [](const Placed& a, const Placed& b) { return a.offset < b.offset; });
    placed.insert(at, entry);
    plan.offsets[index] = offset;
    plan.bytes = std::max(plan.bytes, entry.end);
  }
  return plan;
}

}  // namespace nnrt
