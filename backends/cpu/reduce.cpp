#include "backends/cpu/arithmetic.h"
#include "backends/cpu/element.h"
#include "backends/cpu/families.h"
#include "backends/cpu/reduce_arg_max.h"
#include "backends/cpu/reduce_groups.h"
#include "core/geometry.h"

#include <cmath>
#include <limits>

namespace nnrt::cpu {
namespace {

// What else a reduction is besides its Reducer: the result of a group from its total.
struct Sum : SumReducer {
  static double result(Total total, int64_t /*size*/) { return total; }
};
struct Mean : SumReducer {
  static double result(Total total, int64_t size) { return total / double(size); }
};
struct Norm : SquareSumReducer {
  static double result(Total total, int64_t /*size*/) { return std::sqrt(total); }
};
struct Product {
  using Total = double;
  static Total start() { return 1; }
  static Total first(float x) { return double(x); }
  static Total join(Total a, Total b) { return a * b; }
  static double result(Total total, int64_t /*size*/) { return total; }
};

// INT32 wraps around, which unsigned arithmetic does.
struct WrappingSum {
  using Total = uint32_t;
  static Total start() { return 0; }
  static Total first(int32_t x) { return uint32_t(x); }
  static Total join(Total a, Total b) { return a + b; }
  static int32_t result(Total total, int64_t /*size*/) { return int32_t(total); }
};
struct WrappingProduct : WrappingSum {
  static Total start() { return 1; }
  static Total join(Total a, Total b) { return a * b; }
};
struct TruncatedMean {
  using Total = int64_t;
  static Total start() { return 0; }
  static Total first(int32_t x) { return x; }
  static Total join(Total a, Total b) { return a + b; }
  static int32_t result(Total total, int64_t size) { return int32_t(total / size); }
};

template <typename T>
struct Extreme {
  using Total = T;
  using Limits = std::numeric_limits<T>;
  static T first(T x) { return x; }
  static T result(T total, int64_t /*size*/) { return total; }
};
template <typename T>
struct Maximum : Extreme<T> {
  using Limits = typename Extreme<T>::Limits;
  static T start() { return Limits::has_infinity ? -Limits::infinity() : Limits::lowest(); }
  static T join(T a, T b) { return a < b ? b : a; }
};
template <typename T>
struct Minimum : Extreme<T> {
  using Limits = typename Extreme<T>::Limits;
  static T start() { return Limits::has_infinity ? Limits::infinity() : Limits::max(); }
  static T join(T a, T b) { return b < a ? b : a; }
};

struct AllNonzero {
  using Total = bool;
  static bool start() { return true; }
  static bool first(Bool x) { return x.bits != 0; }
  static bool first(Half x) { return to_float(x) != 0; }
  template <typename T>
  static bool first(T x) {
    return x != T(0);
  }
  static bool join(bool a, bool b) { return a && b; }
};

Result<Groups> node_groups(const NodeView& node) {
  NNRT_ASSIGN(const std::vector<size_t> axes, reduced_axes(node));
  return groups_of(node.shape(0), axes);
}

// R19: only together with reduceToEnd, and only if it is not nearly 0.
double coefficient_of(const Attrs& attrs) {
  const double coeff = attrs.real(Attr::coeff);
  return attrs.flag(Attr::reduce_to_end) && std::abs(coeff) > 1e-5 ? coeff : 1.0;
}

template <typename Reducer>
Status reduce_floats(const KernelArgs& args, const Groups& groups) {
  const FloatInput input(args, 0);
  FloatOutput output(args);
  const double coefficient = coefficient_of(args.node.attrs());
  reduce_groups<Reducer>(groups, input.data(), args.pool, [&](int64_t group, auto total) {
    output[group] = float(Reducer::result(total, groups.size) * coefficient);
  });
  output.store();
  return {};
}

template <typename Reducer>
Status reduce_integers(const KernelArgs& args, const Groups& groups) {
  int32_t* output = args.output<int32_t>();
  reduce_groups<Reducer>(groups, args.input<int32_t>(0), args.pool, [&](int64_t group, auto total) {
    output[group] = Reducer::result(total, groups.size);
  });
  return {};
}

template <typename OfFloats, typename OfIntegers = void>
Status reduce(const KernelArgs& args) {
  NNRT_ASSIGN(const Groups groups, node_groups(args.node));
  if constexpr (!std::is_void_v<OfIntegers>) {
    if (args.node.dtype() == DType::i32) return reduce_integers<OfIntegers>(args, groups);
  }
  return reduce_floats<OfFloats>(args, groups);
}

Status all(const KernelArgs& args) {
  NNRT_ASSIGN(const Groups groups, node_groups(args.node));
  uint8_t* output = args.output<uint8_t>();
  dispatch_dtype(args.node.dtype(), [&]<typename T>(std::type_identity<T>) {
    reduce_groups<AllNonzero>(groups, args.input<T>(0), args.pool,
                              [&](int64_t group, bool total) { output[group] = total ? 1 : 0; });
  });
  return {};
}

constexpr KernelRow kRows[] = {
    {Op::reduce_mean, reduce<Mean, TruncatedMean>},
    {Op::reduce_sum, reduce<Sum, WrappingSum>},
    {Op::reduce_max, reduce<Maximum<float>, Maximum<int32_t>>},
    {Op::reduce_min, reduce<Minimum<float>, Minimum<int32_t>>},
    {Op::reduce_prod, reduce<Product, WrappingProduct>},
    {Op::reduce_l2, reduce<Norm>},
    {Op::reduce_all, all},
    {Op::all, all},
    {Op::arg_max, arg_max},
};

}  // namespace

std::span<const KernelRow> reduce_kernels() { return kRows; }

}  // namespace nnrt::cpu
