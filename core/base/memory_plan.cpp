#include "core/base/memory_plan.h"

#include "core/base/divide_up.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <set>

namespace nnrt {
namespace {

using Order = std::vector<size_t>;  // indices of lifetimes

// Limit for the number of pairs compared while searching for a better plan: some milliseconds.
constexpr size_t kMaxWork = 4'000'000;
// Up to this number of pairs every lifetime is compared with all others; beyond it, a single sweep in step
// order takes the tightest free gap.
constexpr size_t kMaxPairs = 25'000'000;

enum class Gap : uint8_t { lowest, tightest };

struct Allocation {
  size_t offset, end;
  uint32_t first, last;
};

bool meet(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

// Memory that grows at the end, with its gaps.
class FreeList {
 public:
  size_t take(size_t bytes) {
    const auto found = by_size_.lower_bound({bytes, 0});
    if (found == by_size_.end()) return take_end(bytes);
    const auto [room, offset] = *found;
    erase(offset, room);
    if (room > bytes) insert(offset + bytes, room - bytes);
    return offset;
  }

  void give_back(size_t offset, size_t bytes) {
    if (const auto next = gaps_.find(offset + bytes); next != gaps_.end()) {
      bytes += next->second;
      erase(next->first, next->second);
    }
    if (auto before = gaps_.lower_bound(offset); before != gaps_.begin()) {
      --before;
      if (const auto [start, room] = *before; start + room == offset) {
        erase(start, room);
        offset = start;
        bytes += room;
      }
    }
    insert(offset, bytes);
  }

  size_t end() const { return end_; }

 private:
  // If no gap is large enough, extends the last gap if it reaches the end.
  size_t take_end(size_t bytes) {
    size_t offset = end_;
    if (!gaps_.empty()) {
      const auto [start, room] = *gaps_.rbegin();
      if (start + room == end_) {
        erase(start, room);
        offset = start;
      }
    }
    end_ = offset + bytes;
    return offset;
  }

  void insert(size_t offset, size_t bytes) {
    gaps_.emplace(offset, bytes);
    by_size_.emplace(bytes, offset);
  }
  void erase(size_t offset, size_t bytes) {
    gaps_.erase(offset);
    by_size_.erase({bytes, offset});
  }

  std::map<size_t, size_t> gaps_;                // bytes, by offset
  std::set<std::pair<size_t, size_t>> by_size_;  // the same gaps, sorted by size
  size_t end_ = 0;
};

class Planner {
 public:
  Planner(std::span<const Lifetime> lifetimes, size_t alignment) : lifetimes_(lifetimes) {
    for (const Lifetime& lifetime : lifetimes) bytes_.push_back(round_up(lifetime.bytes, alignment));
    min_size_ = arena_lower_bound(lifetimes, alignment);
  }

  MemoryPlan plan() {
    const size_t pairs = lifetimes_.size() * lifetimes_.size();
    if (pairs > kMaxWork) sweep();
    if (pairs > kMaxPairs) return std::move(best_);
    const Order largest = sorted([&](size_t a, size_t b) { return bytes_[a] > bytes_[b]; });
    try_order(largest, Gap::lowest);
    if (pairs > kMaxWork) return std::move(best_);
    try_order(largest, Gap::tightest);
    for (const Order& order : {by_load(), by_area(), by_time()}) {
      for (const Gap gap : {Gap::lowest, Gap::tightest}) try_order(order, gap);
    }
    improve();
    return std::move(best_);
  }

 private:
  template <typename Before>
  Order sorted(const Before& before) const {
    Order order(lifetimes_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), before);
    return order;
  }

  Order by_time() const {
    return sorted([&](size_t a, size_t b) { return lifetimes_[a].first < lifetimes_[b].first; });
  }

  // By bytes times steps.
  Order by_area() const {
    const auto area = [&](size_t i) {
      return double(bytes_[i]) * (lifetimes_[i].last - lifetimes_[i].first + 1.0);
    };
    return sorted([&](size_t a, size_t b) { return area(a) > area(b); });
  }

  // Lifetimes live at the peak first, largest first.
  Order by_load() const {
    uint32_t steps = 0;
    for (const Lifetime& lifetime : lifetimes_) steps = std::max(steps, lifetime.last + 1);
    std::vector<size_t> load(steps, 0);
    for (size_t i = 0; i < lifetimes_.size(); ++i) {
      for (uint32_t step = lifetimes_[i].first; step <= lifetimes_[i].last; ++step) load[step] += bytes_[i];
    }
    std::vector<size_t> max(lifetimes_.size(), 0);
    for (size_t i = 0; i < lifetimes_.size(); ++i) {
      for (uint32_t step = lifetimes_[i].first; step <= lifetimes_[i].last; ++step)
        max[i] = std::max(max[i], load[step]);
    }
    return sorted(
        [&](size_t a, size_t b) { return max[a] != max[b] ? max[a] > max[b] : bytes_[a] > bytes_[b]; });
  }

  // In order of their first step, largest first: O(n log n).
  void sweep() {
    const Order order = sorted([&](size_t a, size_t b) {
      return lifetimes_[a].first != lifetimes_[b].first ? lifetimes_[a].first < lifetimes_[b].first
                                                        : bytes_[a] > bytes_[b];
    });
    using Ending = std::pair<uint32_t, size_t>;  // last step, lifetime
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> alive;
    FreeList free;
    best_ = {0, std::vector<size_t>(order.size(), 0)};
    for (const size_t index : order) {
      if (bytes_[index] == 0) continue;
      for (; !alive.empty() && alive.top().first < lifetimes_[index].first; alive.pop())
        free.give_back(best_.offsets[alive.top().second], bytes_[alive.top().second]);
      best_.offsets[index] = free.take(bytes_[index]);
      alive.emplace(lifetimes_[index].last, index);
    }
    best_.bytes = free.end();
    has_best_ = true;
  }

  size_t find_gap(const std::vector<Allocation>& placed, size_t index, Gap gap) const {
    const Lifetime& lifetime = lifetimes_[index];
    size_t offset = 0, tightest = std::numeric_limits<size_t>::max(), found = 0;
    bool has_gap = false;
    for (const Allocation& other : placed) {
      if (!meet({0, other.first, other.last}, lifetime)) continue;
      if (other.offset >= offset + bytes_[index]) {
        if (gap == Gap::lowest) return offset;
        if (const size_t room = other.offset - offset; room < tightest) {
          tightest = room;
          found = offset;
          has_gap = true;
        }
      }
      offset = std::max(offset, other.end);
    }
    return has_gap ? found : offset;
  }

  // Returns whether this order gives a smaller arena than the best so far.
  bool try_order(const Order& order, Gap gap) {
    if (is_done()) return false;
    work_ += order.size() * order.size();
    MemoryPlan plan{0, std::vector<size_t>(order.size(), 0)};
    std::vector<Allocation> placed;  // by offset
    for (const size_t index : order) {
      if (bytes_[index] == 0) continue;
      const size_t offset = find_gap(placed, index, gap);
      const Allocation entry{offset, offset + bytes_[index], lifetimes_[index].first, lifetimes_[index].last};
      const auto at =
          std::upper_bound(placed.begin(), placed.end(), entry,
                           [](const Allocation& a, const Allocation& b) { return a.offset < b.offset; });
      placed.insert(at, entry);
      plan.offsets[index] = offset;
      plan.bytes = std::max(plan.bytes, entry.end);
      if (has_best_ && plan.bytes >= best_.bytes) return false;
    }
    best_ = std::move(plan);
    best_order_ = order;
    best_gap_ = gap;
    has_best_ = true;
    return true;
  }

  bool is_done() const { return has_best_ && (best_.bytes == min_size_ || work_ > kMaxWork); }

  // Moves the lifetime with the highest end to the front while that helps.
  void improve() {
    std::vector<size_t> tried;
    while (!is_done()) {
      size_t highest = lifetimes_.size();
      for (size_t i = 0; i < lifetimes_.size(); ++i) {
        if (bytes_[i] == 0 || best_.offsets[i] + bytes_[i] != best_.bytes) continue;
        if (std::ranges::find(tried, i) == tried.end()) highest = i;
      }
      if (highest == lifetimes_.size()) return;
      tried.push_back(highest);
      Order order = best_order_;
      const auto at = std::ranges::find(order, highest);
      std::rotate(order.begin(), at, at + 1);
      if (try_order(order, best_gap_)) tried.clear();
    }
  }

  const std::span<const Lifetime> lifetimes_;
  std::vector<size_t> bytes_;  // aligned
  size_t min_size_ = 0, work_ = 0;
  MemoryPlan best_;
  Order best_order_;
  Gap best_gap_ = Gap::lowest;
  bool has_best_ = false;
};

}  // namespace

size_t arena_lower_bound(std::span<const Lifetime> lifetimes, size_t alignment) {
  std::vector<std::pair<uint64_t, int64_t>>
      changes;  // by step; a lifetime that ends is removed before the next step
  for (const Lifetime& lifetime : lifetimes) {
    const auto bytes = int64_t(round_up(lifetime.bytes, alignment));
    changes.emplace_back(lifetime.first, bytes);
    changes.emplace_back(uint64_t{lifetime.last} + 1, -bytes);
  }
  std::ranges::sort(changes);
  int64_t alive = 0, max = 0;
  for (const auto& [step, bytes] : changes) {
    alive += bytes;
    max = std::max(max, alive);
  }
  return size_t(max);
}

MemoryPlan plan_memory(std::span<const Lifetime> lifetimes, size_t alignment) {
  if (lifetimes.empty()) return {};
  return Planner(lifetimes, alignment).plan();
}

}  // namespace nnrt
