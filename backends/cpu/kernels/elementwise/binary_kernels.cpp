// Binary arithmetic. Each operator is a row: the dtypes it is compiled for, and a function that makes its
// formula from the node's parameters.
#include "backends/cpu/kernels/elementwise/binary_kernels.h"

#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/base/scalar_arithmetic.h"
#include "backends/cpu/base/strided_walk.h"
#include "backends/cpu/int8/int8_formula.h"
#include "backends/cpu/kernels/elementwise/int8_arithmetic.h"
#include "core/schema/geometry.h"

namespace nnrt::cpu {
namespace {

// Rank-1 PRELU weights and BIAS_ADD biases are per channel (R16).
bool lies_along_channel(const NodeView& node) {
  return (node.op() == Op::prelu || node.op() == Op::bias_add) && node.shape(1).size() == 1;
}

template <typename Dtypes, auto make>
Status arithmetic(const KernelArgs& args) {
  return promoted_loop<void>(args, Dtypes{}, args.node.output(0).dtype, make(args.node.attrs()));
}

template <auto formula>
auto with_activation(const KernelArgs& args) {
  return [activation = activation_of(args.node.attrs())](auto a, auto b) {
    return apply_activation(activation, formula(a, b));
  };
}

// ADD, SUB, MUL and DIV.
template <typename Dtypes, auto formula>
Status activated(const KernelArgs& args) {
  return promoted_loop<void>(args, Dtypes{}, args.node.output(0).dtype, with_activation<formula>(args));
}

template <typename F>
Status quantized_arithmetic(const KernelArgs& args, F formula) {
  quantized_loop<int8_t>(args, formula, [affine = affine_of(args.node.output(0))](double real) {
    return quantize<int8_t>(real, affine);
  });
  return {};
}

// A formula without parameters.
template <auto formula>
constexpr auto plain = [](const Attrs&) { return formula; };

constexpr auto sum = [](auto a, auto b) { return add(a, b); };
constexpr auto difference = [](auto a, auto b) { return subtract(a, b); };
constexpr auto times = [](auto a, auto b) { return multiply(a, b); };
constexpr auto quotient = [](auto a, auto b) { return divide(a, b); };
constexpr auto floored_quotient = [](auto a, auto b) { return floor_divide(a, b); };
constexpr auto remainder_of = [](auto a, auto b) { return remainder(a, b); };
constexpr auto larger = [](auto a, auto b) { return maximum(a, b); };
constexpr auto smaller = [](auto a, auto b) { return minimum(a, b); };
constexpr auto squared_difference = [](auto a, auto b) { return multiply(subtract(a, b), subtract(a, b)); };
constexpr auto prelu = [](float x, float slope) { return x > 0.0f ? x : x * slope; };

constexpr auto common_bits = []<typename T>(T a, T b) { return T(a & b); };
constexpr auto united_bits = []<typename T>(T a, T b) { return T(a | b); };
constexpr auto differing_bits = []<typename T>(T a, T b) { return T(a ^ b); };

constexpr auto make_shift = [](const Attrs& attrs) {
  return [right = attrs.integer(Attr::direction) == 1]<typename T>(T x, T by) {
    return right ? shift_right(x, by) : shift_left(x, by);
  };
};

// Modulo 2^bits. A negative exponent gives 1 / power, truncated; 0 for base 0 (POW).
template <std::integral T>
T integer_power(T base, T exponent) {
  if (std::cmp_less(exponent, 0)) {
    const T parity = exponent % 2 == 0 ? T(1) : base;
    return base == 1 || std::cmp_equal(base, -1) ? parity : T(0);
  }
  T result = 1;
  for (auto rest = std::make_unsigned_t<T>(exponent); rest != 0; rest = decltype(rest)(rest >> 1)) {
    if (rest % 2 != 0) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

constexpr auto make_pow = [](const Attrs& attrs) {
  return [scale = attrs.real(Attr::scale), shift = attrs.real(Attr::shift)]<typename T>(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::pow(T(scale) * x + T(shift), y);
    } else {
      return integer_power(x, y);
    }
  };
};

using Fp16F32Integers = Types<Half, float, int32_t, int64_t>;
using Num = Types<Half, float, double, int8_t, uint8_t, int32_t, int64_t, uint64_t>;
using Integers = Types<int8_t, uint8_t, int16_t, int32_t, int64_t, uint64_t>;
using NumBool = Types<Half, float, double, int8_t, uint8_t, int32_t, int64_t, uint64_t, Bool>;
using Real = Types<Half, float, double, int8_t, uint8_t, int16_t, int32_t, int64_t, uint64_t>;

Status eltwise(const KernelArgs& args) {
  switch (args.node.attrs().integer(Attr::mode)) {
    case 0: return arithmetic<Fp16F32Integers, plain<times>>(args);
    case 1: return arithmetic<Fp16F32Integers, plain<sum>>(args);
    default: return arithmetic<Real, plain<larger>>(args);  // compiled for MAXIMUM
  }
}

template <auto formula>
Status extreme(const KernelArgs& args) {
  if (args.node.is_quantized()) return quantized_arithmetic(args, formula);
  return arithmetic<Real, plain<formula>>(args);
}

// ADD, SUB and MUL.
template <typename Dtypes, auto formula>
Status ring_operator(const KernelArgs& args) {
  if (!args.node.is_quantized()) return activated<Dtypes, formula>(args);
  if (supports_int8_arithmetic(args.node)) return int8_arithmetic(args);
  return quantized_arithmetic(args, with_activation<formula>(args));
}

Status division(const KernelArgs& args) {
  if (args.node.attrs().is_set(Attr::round_mode)) return activated<Num, floored_quotient>(args);
  return activated<Num, quotient>(args);
}

constexpr KernelRow kBinaryKernels[] = {
    {Op::add, ring_operator<NumBool, sum>},
    {Op::bias_add, arithmetic<Fp16F32Integers, plain<sum>>},
    {Op::bit_shift, arithmetic<Integers, make_shift>},
    {Op::bitwise_and, arithmetic<Integers, plain<common_bits>>},
    {Op::bitwise_or, arithmetic<Integers, plain<united_bits>>},
    {Op::bitwise_xor, arithmetic<Integers, plain<differing_bits>>},
    {Op::div, division},
    {Op::eltwise, eltwise},
    {Op::maximum, extreme<larger>},
    {Op::minimum, extreme<smaller>},
    {Op::mod, arithmetic<Real, plain<remainder_of>>},
    {Op::mul, ring_operator<NumBool, times>},
    {Op::pow, arithmetic<Real, make_pow>},
    {Op::prelu, arithmetic<Fp16AndF32, plain<prelu>>},
    {Op::squared_difference, arithmetic<Types<Half, float, int32_t, Bool>, plain<squared_difference>>},
    {Op::sub, ring_operator<Num, difference>},
};

}  // namespace

Strides operand_strides(const Shape& shape, const Shape& target) {
  if (element_count(shape) == 1) return Strides(target.size(), 0);
  return broadcast_strides(shape, target);
}

Collapsed binary_layout(const NodeView& node) {
  const Shape& shape = node.output_shape();
  std::array<Strides, 2> strides{operand_strides(node.shape(0), shape),
                                 operand_strides(node.shape(1), shape)};
  if (lies_along_channel(node)) {
    strides[1].assign(shape.size(), 0);
    if (node.shape(1)[0] > 1) strides[1][channel_axis(node)] = 1;
  }
  return collapse(shape, strides);
}

void run_loop(const KernelArgs& args, const void* a, const void* b, const BinaryLoop& loop,
              OperandOrder order) {
  constexpr int64_t kGrain = 8192, kShortRow = 256;
  Collapsed layout = binary_layout(args.node);
  if (order == OperandOrder::swapped) {
    std::swap(a, b);
    std::swap(layout.strides[0], layout.strides[1]);
  }
  Strides &strides_a = layout.strides[0], &strides_b = layout.strides[1];
  BinaryRows rows{};
  rows.step_a = strides_a.back(), rows.step_b = strides_b.back();
  // Walks along rows or, if these are short, over several of them at once.
  int64_t width = 1;
  if (layout.shape.size() > 1 && layout.shape.back() > 0 && layout.shape.back() < kShortRow) {
    width = layout.shape.back();
    layout.shape.pop_back(), strides_a.pop_back(), strides_b.pop_back();
    rows.row_step_a = strides_a.back(), rows.row_step_b = strides_b.back();
  }
  args.pool.parallel_for(
      element_count(layout.shape).value_or(0), 1 + kGrain / width, [&](int64_t begin, int64_t end) {
        walk<2>(layout.shape, layout.strides, begin, end,
                [&, rows](int64_t position, const std::array<int64_t, 2>& at, int64_t length) mutable {
                  rows.a = static_cast<const std::byte*>(a) + at[0] * int64_t(loop.operand_size);
                  rows.b = static_cast<const std::byte*>(b) + at[1] * int64_t(loop.operand_size);
                  rows.y = args.out[0] + position * width * int64_t(loop.result_size);
                  rows.rows = width == 1 ? 1 : length, rows.length = width == 1 ? length : width;
                  loop.run(loop.formula, rows);
                });
      });
}

std::span<const KernelRow> binary_kernels() { return kBinaryKernels; }

}  // namespace nnrt::cpu
