#include "backends/cpu/base/element.h"
#include "backends/cpu/base/implementation_list.h"
#include "backends/cpu/base/scalar_arithmetic.h"
#include "backends/cpu/kernels/reduction/reduction_groups.h"
#include "backends/cpu/kernels/reduction/reduction_kernels.h"
#include "core/schema/geometry.h"

#include <cmath>
#include <limits>

namespace nnrt::cpu {
namespace {

// Each extends its Reducer with the conversion of a group's total to the result. Means divide by the group's
// size, others by 1, which takes no division.
struct Sum : SumReducer {
  static double result(Total total, int64_t divisor) { return divisor > 1 ? total / double(divisor) : total; }
};
struct Norm : SquareSumReducer {
  static double result(Total total, int64_t /*divisor*/) { return std::sqrt(total); }
};
struct Product {
  using Total = double;
  static Total start() { return 1; }
  static Total first(float x) { return double(x); }
  static Total join(Total a, Total b) { return a * b; }
  static double result(Total total, int64_t /*divisor*/) { return total; }
};

// For FLOAT64.
struct DoubleSum : Sum {
  static Total first(double x) { return x; }
};
struct DoubleNorm : Norm {
  static Total first(double x) { return x * x; }
};
struct DoubleProduct : Product {
  static Total first(double x) { return x; }
};

// Integers wrap, so compute unsigned.
template <typename T>
struct WrappingSum {
  using Total = std::make_unsigned_t<T>;
  static Total start() { return 0; }
  static Total first(T x) { return Total(x); }
  static Total join(Total a, Total b) { return a + b; }
  static T result(Total total, int64_t /*divisor*/) { return T(total); }
};
template <typename T>
struct WrappingProduct : WrappingSum<T> {
  using Total = typename WrappingSum<T>::Total;
  static Total start() { return 1; }
  static Total join(Total a, Total b) { return a * b; }
};
// 64-bit sums hold any sum of INT32 elements.
template <typename T>
struct TruncatedMean : WrappingSum<std::common_type_t<T, int64_t>> {
  using Wide = std::common_type_t<T, int64_t>;
  // With == 1, GCC would divide by 1, too.
  static T result(uint64_t total, int64_t divisor) {
    return T(divisor > 1 ? Wide(total) / Wide(divisor) : Wide(total));
  }
};

// Sums and means of 64 bits share their loops.
template <typename T>
using IntegerSum = std::conditional_t<sizeof(T) == 8, TruncatedMean<T>, WrappingSum<T>>;

template <typename T>
struct Extreme {
  static constexpr bool kIdempotent = true;
  using Total = T;
  using Limits = std::numeric_limits<T>;
  static T first(T x) { return x; }
  static T result(T total, int64_t /*divisor*/) { return total; }
};
template <typename T>
struct Maximum : Extreme<T> {
  static constexpr bool kIsMaximum = true;
  using Limits = typename Extreme<T>::Limits;
  static T start() { return Limits::has_infinity ? -Limits::infinity() : Limits::lowest(); }
  static T join(T a, T b) { return a < b ? b : a; }
};
template <typename T>
struct Minimum : Extreme<T> {
  static constexpr bool kIsMaximum = false;
  using Limits = typename Extreme<T>::Limits;
  static T start() { return Limits::has_infinity ? Limits::infinity() : Limits::max(); }
  static T join(T a, T b) { return b < a ? b : a; }
};

// Tests an element's bits. A shift of 1 ignores the sign of floats.
template <int shift>
struct AllNonzero {
  using Total = bool;
  static bool start() { return true; }
  template <typename Bits>
  static bool first(Bits x) {
    return Bits(x << shift) != 0;
  }
  static bool join(bool a, bool b) { return a && b; }
};

struct Problem {
  const KernelArgs& args;
  Groups groups;
};
Result<Problem> reduction(const KernelArgs& args) {
  NNRT_ASSIGN(const std::vector<size_t> axes, reduced_axes(args.node));
  return Problem{args, groups_of(args.node.shape(0), axes)};
}

// R19: only with reduceToEnd, and only if it is not close to 0.
double coefficient_of(const Attrs& attrs) {
  const double coeff = attrs.real(Attr::coeff);
  return attrs.flag(Attr::reduce_to_end) && std::abs(coeff) > 1e-5 ? coeff : 1.0;
}

template <typename Reducer>
Status reduce_floats(const Problem& problem, ReduceOrder order, int64_t divisor) {
  const auto& [args, groups] = problem;
  const FloatInput input(args, 0);
  FloatOutput output(args);
  const double coefficient = coefficient_of(args.node.attrs());
  reduce_groups<Reducer>(groups, input.data(), args.pool, order, [&](int64_t group, auto total) {
    output[group] = float(Reducer::result(total, divisor) * coefficient);
  });
  output.store();
  return {};
}

template <typename T, typename Reducer>
Status reduce_integers(const Problem& problem, ReduceOrder order, int64_t divisor) {
  const auto& [args, groups] = problem;
  T* output = args.output<T>();
  reduce_groups<Reducer>(groups, args.input<T>(0), args.pool, order,
                         [&](int64_t group, auto total) { output[group] = Reducer::result(total, divisor); });
  return {};
}

template <typename Reducer>
Status reduce_doubles(const Problem& problem, ReduceOrder order, int64_t divisor) {
  const auto& [args, groups] = problem;
  double* output = args.output<double>();
  const double coefficient = coefficient_of(args.node.attrs());
  reduce_groups<Reducer>(groups, args.input<double>(0), args.pool, order, [&](int64_t group, auto total) {
    output[group] = Reducer::result(total, divisor) * coefficient;
  });
  return {};
}

struct ReduceNorm {
  static Status run(const Problem& problem, ReduceOrder order) {
    return problem.args.node.dtype() == DType::f64 ? reduce_doubles<DoubleNorm>(problem, order, 1)
                                                   : reduce_floats<Norm>(problem, order, 1);
  }
};

template <typename OfFloats, typename OfDoubles, template <typename> typename OfIntegers,
          bool is_mean = false>
struct Reduce {
  static Status run(const Problem& problem, ReduceOrder order) {
    const int64_t divisor = is_mean ? problem.groups.size : 1;
    switch (problem.args.node.dtype()) {
      case DType::i32: return reduce_integers<int32_t, OfIntegers<int32_t>>(problem, order, divisor);
      case DType::i64: return reduce_integers<int64_t, OfIntegers<int64_t>>(problem, order, divisor);
      case DType::u64: return reduce_integers<uint64_t, OfIntegers<uint64_t>>(problem, order, divisor);
      case DType::f64: return reduce_doubles<OfDoubles>(problem, order, divisor);
      default: return reduce_floats<OfFloats>(problem, order, divisor);
    }
  }
};

template <typename Bits, int shift>
Status reduce_all(const Problem& problem, ReduceOrder order) {
  const auto& [args, groups] = problem;
  uint8_t* output = args.output<uint8_t>();
  reduce_groups<AllNonzero<shift>>(groups, args.input<Bits>(0), args.pool, order,
                                   [&](int64_t group, bool total) { output[group] = total ? 1 : 0; });
  return {};
}

struct ReduceAll {
  static Status run(const Problem& problem, ReduceOrder order) {
    const DType dtype = problem.args.node.dtype();
    const bool is_real = is_float(dtype);
    switch (size_of(dtype)) {
      case 1: return reduce_all<uint8_t, 0>(problem, order);
      case 2:
        return is_real ? reduce_all<uint16_t, 1>(problem, order) : reduce_all<uint16_t, 0>(problem, order);
      case 4:
        return is_real ? reduce_all<uint32_t, 1>(problem, order) : reduce_all<uint32_t, 0>(problem, order);
      default:
        return is_real ? reduce_all<uint64_t, 1>(problem, order) : reduce_all<uint64_t, 0>(problem, order);
    }
  }
};

template <typename Reduction>
constexpr Implementation<Problem> kReductions[] = {
    {"row_reduce",
     [](const Problem& problem) -> WhyNot {
       if (problem.groups.has_rows()) return {};
       return "The reduced elements are not contiguous.";
     },
     [](const Problem& problem) { return Reduction::run(problem, ReduceOrder::rows); }},
    {"column_reduce", nullptr,
     [](const Problem& problem) { return Reduction::run(problem, ReduceOrder::columns); }},
};

template <typename Reduction>
constexpr KernelRow row(Op op) {
  return Choices<kReductions<Reduction>, reduction>::row(op);
}

constexpr KernelRow kReduceKernels[] = {
    row<Reduce<Sum, DoubleSum, TruncatedMean, true>>(Op::reduce_mean),
    row<Reduce<Sum, DoubleSum, IntegerSum>>(Op::reduce_sum),
    row<Reduce<Maximum<float>, Maximum<double>, Maximum>>(Op::reduce_max),
    row<Reduce<Minimum<float>, Minimum<double>, Minimum>>(Op::reduce_min),
    row<Reduce<Product, DoubleProduct, WrappingProduct>>(Op::reduce_prod),
    row<ReduceNorm>(Op::reduce_l2),
    row<ReduceAll>(Op::reduce_all),
    row<ReduceAll>(Op::all),
    {Op::arg_max, arg_max},
};

}  // namespace

std::span<const KernelRow> reduce_kernels() { return kReduceKernels; }

}  // namespace nnrt::cpu
