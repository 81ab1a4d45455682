// Gathers and scatters by index. An index out of range gives zeros or is skipped (R20), so a run never fails
// and never accesses memory outside a buffer.
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/base/requantize.h"
#include "backends/cpu/kernels/reduction/reduction_kernels.h"
#include "core/schema/data_movement/copy_regions.h"
#include "core/schema/geometry.h"
#include "core/schema/rules.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace nnrt::cpu {
namespace {

// The tensor's zero: its zero point if it is quantized.
template <typename T>
T zero_of(const NodeView& node) {
  T zero;
  std::memcpy(&zero, fill_element(node).data(), sizeof zero);
  return zero;
}

// Scalars are treated as [1] (R6).
Shape at_least_vector(const Shape& shape) { return shape.empty() ? Shape{1} : shape; }

// Calls f(row) in parallel; each row copies `length` elements.
template <typename F>
void for_rows(ThreadPool& pool, int64_t rows, int64_t length, F f) {
  constexpr int64_t kGrain = 16384;
  pool.parallel_for(rows, 1 + kGrain / length, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) f(row);
  });
}

// output[row] = from[source(row)], or zeros without a source.
template <typename Source>
void gather_rows(const KernelArgs& args, int64_t rows, int64_t length, Source source) {
  const CopiedInput from(args, 0, 0);
  dispatch_size(size_of(args.node.dtype()), [&]<typename T>(std::type_identity<T>) {
    const T zero = zero_of<T>(args.node);
    const T* x = reinterpret_cast<const T*>(from.data());
    for_rows(args.pool, rows, length, [&](int64_t row) {
      T* target = args.output<T>() + row * length;
      const std::optional<int64_t> place = source(row);
      place ? std::copy_n(x + *place * length, length, target) : std::fill_n(target, length, zero);
    });
  });
}

// Single elements: each of the `outer` lines of `length` elements becomes one of an element per place; -1
// gives zero.
void gather_elements(const KernelArgs& args, int64_t outer, int64_t length,
                     const std::vector<int64_t>& places) {
  const CopiedInput from(args, 0, 0);
  const bool all_inside = std::ranges::find(places, -1) == places.end();
  const auto count = int64_t(places.size());
  dispatch_size(size_of(args.node.dtype()), [&]<typename T>(std::type_identity<T>) {
    const T zero = zero_of<T>(args.node);
    const T* const x = reinterpret_cast<const T*>(from.data());
    for_rows(args.pool, outer, count, [&, place = places.data()](int64_t row) {
      const T* const line = x + row * length;
      T* const to = args.output<T>() + row * count;
      if (all_inside) {
        for (int64_t i = 0; i < count; ++i) to[i] = line[place[i]];
      } else {
        for (int64_t i = 0; i < count; ++i) to[i] = place[i] < 0 ? zero : line[place[i]];
      }
    });
  });
}

Status gather(const KernelArgs& args) {
  const NodeView& node = args.node;
  const Shape shape = at_least_vector(node.shape());
  NNRT_ASSIGN(const int64_t axis, normalize_axis(node.integers(2)->at(0), shape.size()));
  std::vector<int64_t> places = *node.integers(1);
  const int64_t length = shape[size_t(axis)], count = int64_t(places.size());
  for (int64_t& place : places) {
    if (place < 0) place += length;
    if (place < 0 || place >= length) place = -1;
  }
  const int64_t outer = product(shape, 0, size_t(axis));
  const int64_t inner = product(shape, size_t(axis) + 1, shape.size());
  if (inner == 1) {
    gather_elements(args, outer, length, places);
    return {};
  }
  gather_rows(args, outer * count, inner, [&](int64_t row) -> std::optional<int64_t> {
    const int64_t place = places[size_t(row % count)];
    if (place < 0) return std::nullopt;
    return row / count * length + place;
  });
  return {};
}

// Rows of indices into a tensor's leading dimensions.
struct IndexRows {
  std::vector<int64_t> indices;
  Shape shape;
  size_t width;

  int64_t rows() const { return int64_t(indices.size() / width); }
  int64_t slice() const { return product(shape, width, shape.size()); }
  // In slices; empty if an index is out of range.
  std::optional<int64_t> place(int64_t row) const {
    int64_t result = 0;
    for (size_t k = 0; k < width; ++k) {
      const int64_t index = indices[size_t(row) * width + k];
      if (index < 0 || index >= shape[k]) return std::nullopt;
      result = result * shape[k] + index;
    }
    return result;
  }
};

Status gather_nd(const KernelArgs& args) {
  const NodeView& node = args.node;
  const IndexRows rows{*node.integers(1), at_least_vector(node.shape()),
                       size_t(at_least_vector(node.shape(1)).back())};
  gather_rows(args, rows.rows(), rows.slice(), [&](int64_t row) { return rows.place(row); });
  return {};
}

// SCATTER_ND and SPARSE_TO_DENSE; a single value is broadcast. Sequential, so the last duplicate wins.
Status scatter(const KernelArgs& args) {
  const NodeView& node = args.node;
  const IndexRows rows{*node.integers(0), node.output_shape(), size_t(node.shape(0).back())};
  const CopiedInput updates(args, 1, 0);
  const int64_t slice = rows.slice();
  const int64_t step = element_count(node.shape(1)) == slice ? 0 : slice;
  dispatch_size(size_of(node.dtype(1)), [&]<typename T>(std::type_identity<T>) {
    T* y = args.output<T>();
    std::fill_n(y, element_count(node.output_shape()).value_or(0), zero_of<T>(node));
    for (int64_t row = 0; row < rows.rows(); ++row) {
      const T* update = reinterpret_cast<const T*>(updates.data()) + row * step;
      if (const auto place = rows.place(row)) std::copy_n(update, slice, y + *place * slice);
    }
  });
  return {};
}

Status one_hot(const KernelArgs& args) {
  const NodeView& node = args.node;
  const std::vector<int64_t> indices = *node.integers(0);
  const int64_t depth = node.integers(1)->at(0);
  const Shape& shape = node.output_shape();
  const int64_t axis = node.attrs().integer(Attr::axis);
  const int64_t inner = axis < 0 ? 1 : product(shape, size_t(axis) + 1, shape.size());
  dispatch_size(size_of(node.dtype(2)), [&]<typename T>(std::type_identity<T>) {
    T* y = args.output<T>();
    std::fill_n(y, element_count(shape).value_or(0), *args.input<T>(3));
    for (int64_t i = 0; i < int64_t(indices.size()); ++i) {
      const int64_t index = indices[size_t(i)];
      if (index >= 0 && index < depth) y[(i / inner * depth + index) * inner + i % inner] = *args.input<T>(2);
    }
  });
  return {};
}

constexpr KernelRow kIndexKernels[] = {
    {Op::gather, gather},      {Op::gather_nd, gather_nd},     {Op::one_hot, one_hot},
    {Op::scatter_nd, scatter}, {Op::sparse_to_dense, scatter}, {Op::top_k, top_k},
};

}  // namespace

std::span<const KernelRow> index_kernels() { return kIndexKernels; }

}  // namespace nnrt::cpu
