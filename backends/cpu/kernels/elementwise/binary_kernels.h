// Loops over two broadcast operands (R9); the kernel supplies the formula.
#pragma once

#include "backends/cpu/base/element_conversion.h"
#include "core/base/shape.h"

#include <array>
#include <utility>

namespace nnrt::cpu {

// Layout of both operands over the output, collapsed.
Collapsed binary_layout(const NodeView& node);

// Strides to read an operand of this shape as `target`; a single element broadcasts to any rank (R6).
Strides operand_strides(const Shape& shape, const Shape& target);

template <typename X, typename Y, typename F>
void binary_run(const X* a, int64_t step_a, const X* b, int64_t step_b, Y* y, int64_t length, F f) {
  if (step_a == 1 && step_b == 1) {
    for (int64_t i = 0; i < length; ++i) y[i] = f(a[i], b[i]);
  } else if (step_a == 1 && step_b == 0) {
    for (int64_t i = 0; i < length; ++i) y[i] = f(a[i], *b);
  } else if (step_a == 0 && step_b == 1) {
    for (int64_t i = 0; i < length; ++i) y[i] = f(*a, b[i]);
  } else {
    for (int64_t i = 0; i < length; ++i) y[i] = f(a[i * step_a], b[i * step_b]);
  }
}

// Converts fp16 block by block, so that the conversions vectorize even if the formula does not.
template <typename Y, typename F>
void binary_run(const Half* a, int64_t step_a, const Half* b, int64_t step_b, Y* y, int64_t length, F f) {
  std::array<float, kFp16Block> wide_a, wide_b;
  for (int64_t begin = 0; begin < length; begin += kFp16Block) {
    const int64_t count = std::min(kFp16Block, length - begin);
    widen_block(a + begin * step_a, step_a, count, wide_a.data());
    widen_block(b + begin * step_b, step_b, count, wide_b.data());
    if constexpr (std::is_same_v<Y, Half>) {
      std::array<float, kFp16Block> wide_y;
      for (size_t i = 0; i < size_t(count); ++i) wide_y[i] = f(wide_a[i], wide_b[i]);
      for (int64_t i = 0; i < count; ++i) y[begin + i] = to_half(wide_y[size_t(i)]);
    } else {
      for (int64_t i = 0; i < count; ++i) y[begin + i] = f(wide_a[size_t(i)], wide_b[size_t(i)]);
    }
  }
}

// Swapped: f(b, a).
enum class OperandOrder : uint8_t { given, swapped };

// Rows of operands and of y, whose rows are adjacent. Steps are in elements.
struct BinaryRows {
  const std::byte* a;
  const std::byte* b;
  std::byte* y;
  int64_t step_a, step_b;          // between elements of a row
  int64_t row_step_a, row_step_b;  // between rows
  int64_t rows, length;
};

// A formula with its loop.
struct BinaryLoop {
  void (*run)(const void* formula, const BinaryRows& rows);
  const void* formula;
  size_t operand_size, result_size;  // bytes per element
};

// Computes the output with the loop, on several threads. Not a template, so that it is not compiled for each
// formula.
void run_loop(const KernelArgs& args, const void* a, const void* b, const BinaryLoop& loop,
              OperandOrder order);

// y = f(a, b), with f on stored elements, or on floats for Half.
template <typename X, typename Y, typename F>
void binary_loop(const KernelArgs& args, const X* a, const X* b, const F& f, OperandOrder order) {
  const auto run = [](const void* formula, const BinaryRows& rows) {
    const X* from_a = reinterpret_cast<const X*>(rows.a);
    const X* from_b = reinterpret_cast<const X*>(rows.b);
    Y* y = reinterpret_cast<Y*>(rows.y);
    for (int64_t row = 0; row < rows.rows; ++row)
      binary_run(from_a + row * rows.row_step_a, rows.step_a, from_b + row * rows.row_step_b, rows.step_b,
                 y + row * rows.length, rows.length, *static_cast<const F*>(formula));
  };
  run_loop(args, a, b, {run, &f, sizeof(X), sizeof(Y)}, order);
}

// Operands are promoted to one dtype (R10); the result has type `Y`, or the operands' type if Y is void.
template <typename Y, typename... Ts, typename F>
Status promoted_loop(const KernelArgs& args, Types<Ts...> dtypes, DType dtype, F f,
                     OperandOrder order = OperandOrder::given) {
  const ConvertedInput a(args, 0, dtype), b(args, 1, dtype);
  return dispatch_dtype(dtypes, dtype, [&]<typename T>(std::type_identity<T>) {
    using Result = std::conditional_t<std::is_void_v<Y>, T, Y>;
    using Value = std::conditional_t<std::is_same_v<Result, Half>, float, Result>;
    binary_loop<T, Result>(
        args, a.template as<T>(), b.template as<T>(),
        [f](auto p, auto q) { return narrow<Value>(f(widen(p), widen(q))); }, order);
  });
}

// Computes f in double on dequantized values (R12); `store` converts to the output's element.
template <typename Y, typename F, typename Store>
void quantized_loop(const KernelArgs& args, F f, Store store, OperandOrder order = OperandOrder::given) {
  DequantizeTable a = dequantize_table(args.node.input(0)), b = dequantize_table(args.node.input(1));
  if (order == OperandOrder::swapped) std::swap(a, b);
  binary_loop<uint8_t, Y>(
      args, args.input<uint8_t>(0), args.input<uint8_t>(1),
      [&](uint8_t p, uint8_t q) { return store(f(a[p], b[q])); }, order);
}

}  // namespace nnrt::cpu
