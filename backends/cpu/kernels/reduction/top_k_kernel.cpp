#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/reduction/reduction_kernels.h"
#include "core/schema/geometry.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nnrt::cpu {
namespace {

// Lines along the axis, `inner` elements apart.
struct Lines {
  int64_t count = 0, length = 0, k = 0, inner = 0;
  bool descending = true, last_first = false;

  int64_t begin(int64_t line, int64_t line_length) const {
    return line / inner * line_length * inner + line % inner;
  }
};

// NaN ranks lowest, so the order is total.
template <typename T>
T rankable(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value) return -std::numeric_limits<T>::infinity();
  }
  return value;
}

template <typename Index>
void sort_line(const Lines& lines, const auto& keys, std::vector<Index>& order) {
  const auto at = [&](Index i) { return keys[size_t(i)]; };
  const auto first = [&](Index a, Index b) { return lines.last_first ? a > b : a < b; };
  const auto larger = [&](Index a, Index b) { return at(a) != at(b) ? at(a) > at(b) : first(a, b); };
  const auto smaller = [&](Index a, Index b) { return at(a) != at(b) ? at(a) < at(b) : first(a, b); };
  std::iota(order.begin(), order.end(), Index(0));
  std::partial_sort(order.begin(), order.begin() + lines.k, order.end(), larger);
  if (!lines.descending) std::sort(order.begin(), order.begin() + lines.k, smaller);
}

template <typename T, typename Index>
void top_k_lines(const KernelArgs& args, const Lines& lines) {
  std::vector<PaddedInput<T>> keys(size_t(lines.length));
  std::vector<Index> order(size_t(lines.length));
  for (int64_t line = 0; line < lines.count; ++line) {
    const T* x = args.input<T>(0) + lines.begin(line, lines.length);
    for (int64_t i = 0; i < lines.length; ++i) keys[size_t(i)] = rankable(widen(x[i * lines.inner]));
    sort_line(lines, keys, order);
    const int64_t target = lines.begin(line, lines.k);
    for (int64_t i = 0; i < lines.k; ++i) {
      args.output<T>(0)[target + i * lines.inner] = x[order[size_t(i)] * lines.inner];
      args.output<Index>(1)[target + i * lines.inner] = order[size_t(i)];
    }
  }
}

}  // namespace

Status top_k(const KernelArgs& args) {
  const NodeView& node = args.node;
  const Shape shape = node.shape().empty() ? Shape{1} : node.shape();
  NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), shape.size()));
  Lines lines;
  lines.length = shape[size_t(axis)];
  lines.k = node.integers(1)->at(0);
  lines.inner = product(shape, size_t(axis) + 1, shape.size());
  lines.count = product(shape, 0, size_t(axis)) * lines.inner;
  lines.descending = node.attrs().flag(Attr::sorted);
  lines.last_first = node.attrs().is_set(Attr::last_first);
  using Ranked = Types<Half, float, double, int8_t, uint8_t, int16_t, int32_t, int64_t, uint64_t>;
  return dispatch_dtype(Ranked{}, node.dtype(), [&]<typename T>(std::type_identity<T>) {
    node.output(1).dtype == DType::i64 ? top_k_lines<T, int64_t>(args, lines)
                                       : top_k_lines<T, int32_t>(args, lines);
  });
}

}  // namespace nnrt::cpu
