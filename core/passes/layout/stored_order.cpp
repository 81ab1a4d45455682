#include "core/passes/layout/stored_order.h"

#include <algorithm>

namespace nnrt {
namespace {

// Adjacent dimensions of two shapes with the same number of elements.
struct Group {
  size_t from_begin = 0, from_end = 0, to_begin = 0, to_end = 0;
};

// The smallest such groups, in order; empty if they cannot be determined.
std::optional<std::vector<Group>> groups_of(const Shape& from, const Shape& to) {
  std::vector<Group> groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    Group group{i, i + 1, j, j + 1};
    int64_t from_count = from[i++], to_count = to[j++];
    while (from_count != to_count) {
      const bool is_shorter = from_count < to_count;
      const Shape& shape = is_shorter ? from : to;
      size_t& next = is_shorter ? i : j;
      int64_t& count = is_shorter ? from_count : to_count;
      if (std::min(from_count, to_count) <= 0 || next == shape.size() || shape[next] <= 0)
        return std::nullopt;
      if (__builtin_mul_overflow(count, shape[next++], &count)) return std::nullopt;
    }
    if (from_count == 0) return std::nullopt;
    group.from_end = i;
    group.to_end = j;
    groups.push_back(group);
  }
  if (groups.empty()) return std::nullopt;
  for (; i < from.size(); ++i, ++groups.back().from_end)
    if (from[i] != 1) return std::nullopt;
  for (; j < to.size(); ++j, ++groups.back().to_end)
    if (to[j] != 1) return std::nullopt;
  return groups;
}

}  // namespace

Shape in_order(const Shape& shape, const Order& order) {
  Shape result;
  for (const int64_t dimension : order) result.push_back(shape[size_t(dimension)]);
  return result;
}

std::optional<Order> order_behind_reshape(const Shape& from, const Order& order, const Shape& to) {
  const auto groups = groups_of(from, to);
  // Two unknown dimensions might be swapped by the RESHAPE.
  if (!groups || std::ranges::count(from, kUnknown) > 1 || std::ranges::count(to, kUnknown) > 1)
    return std::nullopt;
  Order result;
  for (size_t at = 0; at < order.size();) {
    const auto begins = [&](const Group& group) { return int64_t(group.from_begin) == order[at]; };
    const auto group = std::ranges::find_if(*groups, begins);
    if (group == groups->end()) return std::nullopt;
    for (size_t d = group->from_begin; d < group->from_end; ++d, ++at)
      if (at == order.size() || order[at] != int64_t(d)) return std::nullopt;
    for (size_t d = group->to_begin; d < group->to_end; ++d) result.push_back(int64_t(d));
  }
  return result;
}

Order order_behind_transpose(const Order& permutation, const Order& order) {
  Order result;
  for (const int64_t dimension : order)
    result.push_back(std::ranges::find(permutation, dimension) - permutation.begin());
  return result;
}

Order permutation_between(const Order& from, const Order& to) { return order_behind_transpose(from, to); }

bool is_in_place(const Order& permutation) { return std::ranges::is_sorted(permutation); }

}  // namespace nnrt
