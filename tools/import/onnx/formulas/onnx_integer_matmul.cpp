// Integer operators with explicit scales and zero points, which may be dynamic.
#include "tools/import/onnx/formulas/onnx_integer_sums.h"
#include "tools/import/onnx/onnx_formula.h"

namespace nnrt::import::onnx {
namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";

// An input with its zero points.
Result<Integers> integers_of(Call& call, size_t input, size_t zero) {
  if (!call.has(input)) return damaged("Input ", input, " is absent.");
  Integers integers{.value = call.value(input)};
  if (integers.value.dequantized) return damaged("Input ", input, " is a float tensor.");
  if (call.has(zero)) {
    NNRT_ASSIGN(integers.zero, call.plain_input(zero));
  }
  return integers;
}

Result<TensorId> sums_of(Call& call, Result<TensorId> (*multiply)(Call&, const Integers&, const Integers&),
                         size_t left_zero, size_t right_zero) {
  NNRT_ASSIGN(const Integers a, integers_of(call, 0, left_zero));
  NNRT_ASSIGN(const Integers b, integers_of(call, 1, right_zero));
  return multiply(call, a, b);
}

Result<Ids> matmul_integer(Call& call) { return single(sums_of(call, product_of_integers, 2, 3)); }

Result<Ids> conv_integer(Call& call) { return single(sums_of(call, convolution_of_integers, 2, 3)); }

struct Dynamic {
  TensorId quantized = 0, scale = 0, zero_point = 0;  // floats
};

// Dynamic quantization to UINT8 over the range of the input and 0.
Dynamic quantized(Formula& f, TensorId x) {
  Dynamic made;
  List<int64_t> axes;
  for (int64_t d = 0; d < f.rank(x); ++d) axes.push_back(d);
  const TensorId zero = f.number(x, 0);
  const TensorId high = f.max(f.largest(x, axes, false), zero), low = f.min(f.smallest(x, axes, false), zero);
  constexpr double kLevels = 255;
  const TensorId range = f.div(f.sub(high, low), kLevels);
  made.scale = f.where(f.equal(range, 0.0), f.number(x, 1), range);
  made.zero_point = f.clip(f.round(f.neg(f.div(low, made.scale))), 0, kLevels);
  made.quantized = f.clip(f.add(f.round(f.div(x, made.scale)), made.zero_point), 0, kLevels);
  return made;
}

Result<Ids> dynamic_quantize(Call& call) {
  Formula f(call);
  const Dynamic made = quantized(f, f.input(0));
  return Ids{f.cast(made.quantized, DType::u8), made.scale, f.cast(made.zero_point, DType::u8)};
}

TensorId with_scales(Formula& f, TensorId product, TensorId scale, size_t bias) {
  const TensorId y = f.mul(f.cast(product, DType::f32), scale);
  return f.call().has(bias) ? f.add(y, f.input(bias)) : y;
}

// Inputs: a, b, their scales, their zero points, bias.
Result<Ids> matmul_integer_to_float(Call& call) {
  Formula f(call);
  const TensorId sum = f.given(sums_of(call, product_of_integers, 4, 5));
  return Ids{with_scales(f, sum, f.mul(f.input(2), f.input(3)), 6)};
}

// Inputs: a (quantized at run time), b, its scale and zero point, bias.
Result<Ids> dynamic_quantize_matmul(Call& call) {
  Formula f(call);
  const Dynamic a = quantized(f, f.input(0));
  Integers left{.value = {.plain = f.cast(a.quantized, DType::u8)}};
  left.zero = f.cast(a.zero_point, DType::u8);
  NNRT_ASSIGN(const Integers right, integers_of(call, 1, 3));
  const TensorId sum = f.given(product_of_integers(call, left, right));
  return Ids{with_scales(f, sum, f.mul(a.scale, f.input(2)), 4)};
}

}  // namespace

std::vector<Row> integer_matmul_rows() {
  return {
      {"ConvInteger", conv_integer},
      {"DynamicQuantizeLinear", dynamic_quantize},
      {"DynamicQuantizeMatMul", dynamic_quantize_matmul, {}, kNoQuantizedInputs, false, kMicrosoft},
      {"MatMulInteger", matmul_integer},
      {"MatMulIntegerToFloat", matmul_integer_to_float, {}, kNoQuantizedInputs, false, kMicrosoft},
  };
}

}  // namespace nnrt::import::onnx
