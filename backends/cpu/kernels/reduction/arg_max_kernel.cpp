#include "backends/cpu/kernels/reduction/arg_max_kernel.h"

#include "backends/cpu/base/axis_lines.h"
#include "backends/cpu/base/element.h"
#include "core/schema/geometry.h"

#include <algorithm>
#include <numeric>

namespace nnrt::cpu {
namespace {

// NaN ranks lowest, so the order is total.
template <typename T>
bool is_larger(T a, T b) {
  return a > b || (b != b && a == a);
}
bool is_larger(Half a, Half b) { return is_larger(to_float(a), to_float(b)); }

template <typename T>
int64_t largest(const T* line, int64_t length) {
  int64_t best = 0;
  for (int64_t i = 1; i < length; ++i) {
    if (is_larger(line[i], line[best])) best = i;
  }
  return best;
}

// Positions of the `top` largest elements in descending order, ties by position.
template <typename T>
std::vector<int64_t> several_largest(const T* line, int64_t length, int64_t top) {
  std::vector<int64_t> positions(static_cast<size_t>(length));
  std::iota(positions.begin(), positions.end(), 0);
  std::partial_sort(positions.begin(), positions.begin() + top, positions.end(),
                    [line](int64_t a, int64_t b) {
                      return is_larger(line[a], line[b]) || (a < b && !is_larger(line[b], line[a]));
                    });
  return positions;
}

template <typename T, typename Out, typename Pick>
Status arg_max_typed(const KernelArgs& args, Pick pick) {
  const Attrs& attrs = args.node.attrs();
  const Shape& shape = args.node.shape(0);
  NNRT_ASSIGN(const int64_t axis,
              normalize_axis(attrs.integer(Attr::axis), std::max<size_t>(shape.size(), 1)));
  const Lines lines = lines_of(shape, size_t(axis));
  const int64_t top = attrs.integer(Attr::top_k);
  for_each_line(lines, top, args.input<T>(0), args.output<Out>(), args.pool,
                [&](int64_t, const T* line, Out* to) {
                  if (top == 1) {
                    to[0] = pick(line, largest(line, lines.length));
                    return;
                  }
                  const std::vector<int64_t> positions = several_largest(line, lines.length, top);
                  for (int64_t i = 0; i < top; ++i) to[i] = pick(line, positions[size_t(i)]);
                });
  return {};
}

template <typename T>
Status arg_max_of(const KernelArgs& args) {
  if (args.node.attrs().flag(Attr::out_max_value))
    return arg_max_typed<T, T>(args, [](const T* line, int64_t position) { return line[position]; });
  if (args.node.output(0).dtype == DType::i64)
    return arg_max_typed<T, int64_t>(args, [](const T*, int64_t position) { return position; });
  return arg_max_typed<T, int32_t>(args, [](const T*, int64_t position) { return int32_t(position); });
}

}  // namespace

Status arg_max(const KernelArgs& args) {
  using Real = Types<Half, float, double, int8_t, uint8_t, int16_t, int32_t, int64_t>;
  Status status;
  NNRT_TRY(dispatch_dtype(Real{}, args.node.dtype(),
                          [&]<typename T>(std::type_identity<T>) { status = arg_max_of<T>(args); }));
  return status;
}

}  // namespace nnrt::cpu
