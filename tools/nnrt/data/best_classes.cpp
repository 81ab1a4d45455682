#include "tools/nnrt/data/best_classes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nnrt::tool {

bool is_classifier(const Output& output) {
  const auto more_than_one = [](int32_t dimension) { return dimension != 1; };
  return std::ranges::count_if(output.array.shape, more_than_one) == 1 && output.array.count() >= 2;
}

std::vector<size_t> best_classes(const Output& output, size_t count) {
  std::vector<size_t> order(output.array.count());
  std::iota(order.begin(), order.end(), size_t{0});
  count = std::min(count, order.size());
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(count), [&](size_t a, size_t b) {
        const double left = output.array[a], right = output.array[b];
        return std::isnan(right) ? !std::isnan(left) || a < b : left > right || (left == right && a < b);
      });
  order.resize(count);
  return order;
}

}  // namespace nnrt::tool
