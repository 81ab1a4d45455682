// Gathers and scatters of elements and slices; negative indices count from the end. An index out of range
// gives zeros or is skipped (R20), so a run never fails and never accesses memory outside a buffer.
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/base/requantize.h"
#include "backends/cpu/base/scalar_arithmetic.h"
#include "backends/cpu/kernels/reduction/reduction_kernels.h"
#include "core/schema/data_movement/copy_regions.h"
#include "core/schema/data_movement/element_positions.h"
#include "core/schema/geometry.h"
#include "core/schema/operators/selections.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace nnrt::cpu {
namespace {

constexpr int64_t kGrain = 16384;  // elements worth a task

// The tensor's zero: its zero point if it is quantized.
template <typename T>
T zero_of(const NodeView& node) {
  T zero;
  std::memcpy(&zero, fill_element(node).data(), sizeof zero);
  return zero;
}

std::optional<int64_t> place_of(int64_t index, int64_t length) {
  if (index < 0) index += length;
  return index >= 0 && index < length ? std::optional(index) : std::nullopt;
}

// The elements selected by an index tensor.
class Elements {
 public:
  static Result<Elements> of(const NodeView& node) {
    NNRT_ASSIGN(ElementPositions positions, element_positions(node));
    return Elements(std::move(positions), *node.integers(1));
  }

  // Rows along the last dimension of the indices. Different groups select different elements.
  int64_t rows() const { return product(at_.counts, 0, last()); }
  int64_t rows_in_group() const { return product(at_.counts, std::min(at_.axis, last()), last()); }
  int64_t row_length() const { return at_.counts.back(); }

  // Calls f(i, place) for each index i of these rows; `place` is empty if the index is out of range.
  template <typename F>
  void for_rows(int64_t begin, int64_t end, F f) const {
    const int64_t step = at_.axis == last() ? 0 : at_.strides.back(), across = at_.strides[at_.axis];
    for (int64_t row = begin, i = begin * row_length(); row < end; ++row) {
      const int64_t first = offset_of(row);
      for (int64_t k = 0; k < row_length(); ++k, ++i) {
        const auto index = place_of(indices_[size_t(i)], at_.length);
        f(i, index ? std::optional(first + k * step + *index * across) : std::nullopt);
      }
    }
  }

 private:
  Elements(ElementPositions at, std::vector<int64_t> indices)
      : at_(std::move(at)), indices_(std::move(indices)) {}

  size_t last() const { return at_.counts.size() - 1; }
  // Offset of a row in the tensor, without the axis.
  int64_t offset_of(int64_t row) const {
    int64_t offset = 0;
    for (size_t d = last(); d-- > 0; row /= at_.counts[d])
      if (d != at_.axis) offset += row % at_.counts[d] * at_.strides[d];
    return offset;
  }

  ElementPositions at_;
  std::vector<int64_t> indices_;
};

Status gather_elements(const KernelArgs& args) {
  NNRT_ASSIGN(const Elements elements, Elements::of(args.node));
  const CopiedInput from(args, 0, 0);
  dispatch_size(size_of(args.node.dtype()), [&]<typename T>(std::type_identity<T>) {
    const T zero = zero_of<T>(args.node);
    const T* x = reinterpret_cast<const T*>(from.data());
    T* y = args.output<T>();
    args.pool.parallel_for(
        elements.rows(), 1 + kGrain / elements.row_length(), [&](int64_t begin, int64_t end) {
          elements.for_rows(
              begin, end, [&](int64_t i, std::optional<int64_t> place) { y[i] = place ? x[*place] : zero; });
        });
  });
  return {};
}

enum class ScatterReduction : uint8_t { none, sum, product, minimum, maximum };

// Calls scatter(store). store(to, from, count) combines `count` updates from `from` on with the elements of y
// from `to` on, by the reduction.
template <typename T, typename Scatter>
void combine(ScatterReduction reduction, T* y, const T* updates, const Scatter& scatter) {
  const auto scatter_by = [&](auto f) {
    scatter([=](int64_t to, int64_t from, int64_t count) {
      for (int64_t k = 0; k < count; ++k) y[to + k] = f(y[to + k], updates[from + k]);
    });
  };
  switch (reduction) {
    case ScatterReduction::sum: return scatter_by([](T a, T b) { return add(a, b); });
    case ScatterReduction::product: return scatter_by([](T a, T b) { return multiply(a, b); });
    case ScatterReduction::minimum: return scatter_by([](T a, T b) { return minimum(a, b); });
    case ScatterReduction::maximum: return scatter_by([](T a, T b) { return maximum(a, b); });
    case ScatterReduction::none: break;
  }
}

// Copies the input, unless the output aliases it (engine/shared_state.h).
template <typename T>
void copy_to_output(const T* from, int64_t count, T* to) {
  if (from != to) std::copy_n(from, count, to);
}

// Copies input 0 and applies scatter() to input 2. FLOAT16 is combined in float and rounded once (R13).
template <typename Scatter>
Status scatter_onto_input(const KernelArgs& args, const Scatter& scatter) {
  const auto reduction = ScatterReduction(args.node.attrs().integer(Attr::reduction));
  const DType dtype = args.node.dtype();
  const int64_t count = element_count(args.node.output_shape()).value_or(0);
  if (reduction == ScatterReduction::none) {
    const CopiedInput from(args, 0, 0), updates(args, 2, 0);
    dispatch_size(size_of(dtype), [&]<typename T>(std::type_identity<T>) {
      T* y = args.output<T>();
      const T* u = reinterpret_cast<const T*>(updates.data());
      copy_to_output(reinterpret_cast<const T*>(from.data()), count, y);
      scatter([=](int64_t to, int64_t first, int64_t length) { std::copy_n(u + first, length, y + to); });
    });
    return {};
  }
  if (dtype == DType::f16) {
    const FloatInput from(args, 0), updates(args, 2);
    FloatOutput output(args);
    copy_to_output(from.data(), count, output.data());
    combine(reduction, output.data(), updates.data(), scatter);
    output.store();
    return {};
  }
  using Numbers = Types<int8_t, uint8_t, int16_t, int32_t, int64_t, uint64_t, float, double>;
  return dispatch_dtype(Numbers(), dtype, [&]<typename T>(std::type_identity<T>) {
    copy_to_output(args.input<T>(0), count, args.output<T>());
    combine(reduction, args.output<T>(), args.input<T>(2), scatter);
  });
}

// Duplicate indices are applied in the order of the updates.
Status scatter_elements(const KernelArgs& args) {
  NNRT_ASSIGN(const Elements elements, Elements::of(args.node));
  const int64_t rows = elements.rows_in_group();
  return scatter_onto_input(args, [&](auto store) {
    args.pool.parallel_for(
        elements.rows() / rows, 1 + kGrain / (rows * elements.row_length()), [&](int64_t begin, int64_t end) {
          elements.for_rows(begin * rows, end * rows, [&](int64_t i, std::optional<int64_t> place) {
            if (place) store(*place, i, 1);
          });
        });
  });
}

// Slice number per row of indices; empty if an index is out of range.
std::vector<std::optional<int64_t>> slices_of(const NodeView& node, size_t width) {
  const std::vector<int64_t> indices = *node.integers(1);
  const Shape shape = node.shape(0).empty() ? Shape{1} : node.shape(0);
  std::vector<std::optional<int64_t>> slices(indices.size() / width, 0);
  for (size_t i = 0; i < indices.size(); ++i) {
    std::optional<int64_t>& slice = slices[i / width];
    const auto index = place_of(indices[i], shape[i % width]);
    slice = slice && index ? std::optional(*slice * shape[i % width] + *index) : std::nullopt;
  }
  return slices;
}

// In row order; each task applies all rows to its part of the slices.
Status scatter_nd_update(const KernelArgs& args) {
  const NodeView& node = args.node;
  const size_t width = node.shape(1).empty() ? 1 : size_t(node.shape(1).back());
  const std::vector<std::optional<int64_t>> slices = slices_of(node, width);
  const int64_t length = node.shape(0).empty() ? 1 : product(node.shape(0), width, node.shape(0).size());
  return scatter_onto_input(args, [&](auto store) {
    args.pool.parallel_for(length, 1 + kGrain / int64_t(slices.size()), [&](int64_t begin, int64_t end) {
      for (size_t row = 0; row < slices.size(); ++row)
        if (slices[row]) store(*slices[row] * length + begin, int64_t(row) * length + begin, end - begin);
    });
  });
}

// Keeps columns [0, end) or [begin, columns) of each row.
Status trilu(const KernelArgs& args) {
  const NodeView& node = args.node;
  const int64_t columns = node.shape().back(), rows = node.shape()[node.shape().size() - 2];
  const int64_t diagonal = std::clamp(triangle_diagonal(node), -rows, columns);
  const bool upper = node.attrs().flag(Attr::upper);
  const CopiedInput from(args, 0, 0);
  dispatch_size(size_of(node.dtype()), [&]<typename T>(std::type_identity<T>) {
    const T zero = zero_of<T>(node);
    const T* x = reinterpret_cast<const T*>(from.data());
    const int64_t all = product(node.shape(), 0, node.shape().size() - 1);
    args.pool.parallel_for(all, 1 + kGrain / columns, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t edge = std::clamp<int64_t>(row % rows + diagonal + (upper ? 0 : 1), 0, columns);
        T* y = args.output<T>() + row * columns;
        const T* line = x + row * columns;
        if (upper) {
          std::copy_n(line + edge, columns - edge, std::fill_n(y, edge, zero));
        } else {
          std::fill_n(std::copy_n(line, edge, y), columns - edge, zero);
        }
      }
    });
  });
  return {};
}

// Stores a position as INT32 or INT64.
void store_position(const KernelArgs& args, int64_t index, int64_t position) {
  if (args.node.output(0).dtype == DType::i32) {
    args.output<int32_t>()[index] = int32_t(position);
  } else {
    args.output<int64_t>()[index] = position;
  }
}

// Shape inference already counted the elements.
Status non_zero(const KernelArgs& args) {
  const Shape shape = args.node.shape().empty() ? Shape{1} : args.node.shape();
  const std::vector<int64_t> found = non_zero_elements(args.node);
  const auto count = int64_t(found.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = found[size_t(i)];
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      store_position(args, int64_t(d) * count + i, rest % shape[d]);
  }
  return {};
}

Status unique(const KernelArgs& args) {
  const UniqueSlices unique = unique_slices(args.node);
  std::ranges::copy(unique.first, args.output<int64_t>(1));
  std::ranges::copy(unique.inverse, args.output<int64_t>(2));
  std::ranges::copy(unique.counts, args.output<int64_t>(3));
  const Shape shape = args.node.shape().empty() ? Shape{1} : args.node.shape();
  NNRT_ASSIGN(const int64_t axis, normalize_axis(args.node.attrs().integer(Attr::axis), shape.size()));
  const int64_t outer = product(shape, 0, size_t(axis)), length = shape[size_t(axis)];
  const size_t bytes = size_t(product(shape, size_t(axis) + 1, shape.size())) * size_of(args.node.dtype());
  std::byte* to = args.out[0];
  for (int64_t o = 0; o < outer; ++o)
    for (const int64_t slice : unique.first)
      to = std::copy_n(args.in[0] + size_t(o * length + slice) * bytes, bytes, to);
  return {};
}

Status non_max_suppression(const KernelArgs& args) {
  int64_t index = 0;
  for (const SelectedBox& box : selected_boxes(args.node))
    for (const int64_t number : box) store_position(args, index++, number);
  return {};
}

constexpr KernelRow kElementIndexKernels[] = {
    {Op::gather_elements, gather_elements},
    {Op::scatter_elements, scatter_elements},
    {Op::scatter_nd_update, scatter_nd_update},
    {Op::cum_sum, cum_sum},
    {Op::trilu, trilu},
    {Op::non_zero, non_zero},
    {Op::non_max_suppression, non_max_suppression},
    {Op::unique, unique},
};

}  // namespace

std::span<const KernelRow> element_index_kernels() { return kElementIndexKernels; }

}  // namespace nnrt::cpu
