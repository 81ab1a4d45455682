// CUM_SUM: prefix sums along the axis.
#include "backends/cpu/base/axis_lines.h"
#include "backends/cpu/base/element.h"
#include "backends/cpu/base/scalar_arithmetic.h"
#include "backends/cpu/kernels/reduction/reduction_kernels.h"
#include "core/schema/geometry.h"

namespace nnrt::cpu {
namespace {

template <typename T>
void sum_lines(const KernelArgs& args, const Lines& lines, const T* x, T* y) {
  const bool exclusive = args.node.attrs().flag(Attr::exclusive);
  const bool reverse = args.node.attrs().flag(Attr::reverse);
  for_each_line(lines, lines.length, x, y, args.pool, [=](int64_t, const T* from, T* to) {
    T sum = 0;
    for (int64_t k = 0; k < lines.length; ++k) {
      const int64_t i = reverse ? lines.length - 1 - k : k;
      const T next = add(sum, from[i]);
      to[i] = exclusive ? sum : next;
      sum = next;
    }
  });
}

}  // namespace

// FLOAT16 is summed in float (R13); integers wrap.
Status cum_sum(const KernelArgs& args) {
  const Shape& shape = args.node.shape();
  NNRT_ASSIGN(const int64_t axis,
              normalize_axis(args.node.attrs().integer(Attr::axis), std::max<size_t>(shape.size(), 1)));
  const Lines lines = lines_of(shape, size_t(axis));
  if (args.node.dtype() == DType::f16) {
    const FloatInput from(args, 0);
    FloatOutput output(args);
    sum_lines(args, lines, from.data(), output.data());
    output.store();
    return {};
  }
  return dispatch_dtype(
      Types<int32_t, int64_t, uint64_t, float, double>(), args.node.dtype(),
      [&]<typename T>(std::type_identity<T>) { sum_lines(args, lines, args.input<T>(0), args.output<T>()); });
}

}  // namespace nnrt::cpu
