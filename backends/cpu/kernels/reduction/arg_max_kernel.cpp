#include "backends/cpu/base/axis_lines.h"
#include "backends/cpu/base/element.h"
#include "backends/cpu/base/requantize.h"
#include "backends/cpu/kernels/reduction/reduction_kernels.h"
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

// Positions along the axis of the largest elements, with the output's layout.
template <typename T>
void find_largest(const KernelArgs& args, const Lines& lines, int64_t top, int64_t* positions) {
  for_each_line(lines, top, args.input<T>(0), positions, args.pool, [&](int64_t, const T* line, int64_t* to) {
    if (top == 1) {
      to[0] = largest(line, lines.length);
    } else {
      std::ranges::copy_n(several_largest(line, lines.length, top).begin(), top, to);
    }
  });
}

// The elements at positions found along the axis.
void read_values(const KernelArgs& args, const Lines& lines, int64_t top, const int64_t* positions) {
  dispatch_size(size_of(args.node.dtype()), [&]<typename Bits>(std::type_identity<Bits>) {
    const Bits* const x = args.input<Bits>(0);
    Bits* const y = args.output<Bits>();
    for (int64_t i = 0; i < lines.count() * top; ++i) {
      const int64_t inner = i % lines.inner, outer = i / (lines.inner * top);
      y[i] = x[(outer * lines.length + positions[i]) * lines.inner + inner];
    }
  });
}

}  // namespace

Status arg_max(const KernelArgs& args) {
  using Real = Types<Half, float, double, int8_t, uint8_t, int16_t, int32_t, int64_t, uint64_t>;
  const Attrs& attrs = args.node.attrs();
  const Shape& shape = args.node.shape(0);
  NNRT_ASSIGN(const int64_t axis,
              normalize_axis(attrs.integer(Attr::axis), std::max<size_t>(shape.size(), 1)));
  const Lines lines = lines_of(shape, size_t(axis));
  const int64_t top = attrs.integer(Attr::top_k);
  const bool gives_values = attrs.flag(Attr::out_max_value);
  const bool is_direct = !gives_values && args.node.output(0).dtype == DType::i64;
  std::vector<int64_t> found(is_direct ? 0 : size_t(lines.count() * top));
  int64_t* const positions = is_direct ? args.output<int64_t>() : found.data();
  NNRT_TRY(dispatch_dtype(Real{}, args.node.dtype(), [&]<typename T>(std::type_identity<T>) {
    find_largest<T>(args, lines, top, positions);
  }));
  if (gives_values)
    read_values(args, lines, top, positions);
  else if (!is_direct)
    std::ranges::copy(found, args.output<int32_t>());
  return {};
}

}  // namespace nnrt::cpu
