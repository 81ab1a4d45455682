// Integer operators with explicit scales and zero points, which may be dynamic.
#include "tools/import/onnx/formulas/onnx_integer_sums.h"
#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {
namespace {

// An input with its zero points.
Integers integers_of(Call& call, size_t input, size_t zero) {
  Integers integers{.value = call.value(input)};
  if (integers.value.dequantized) fail(damaged("Input ", input, " is a float tensor."));
  if (call.has(zero)) integers.zero = call.plain_input(zero);
  return integers;
}

TensorId sums_of(Call& call, TensorId (*multiply)(Call&, const Integers&, const Integers&), size_t left_zero,
                 size_t right_zero) {
  const Integers a = integers_of(call, 0, left_zero), b = integers_of(call, 1, right_zero);
  return multiply(call, a, b);
}

Ids matmul_integer(Call& call) { return {sums_of(call, product_of_integers, 2, 3)}; }

Ids conv_integer(Call& call) { return {sums_of(call, convolution_of_integers, 2, 3)}; }

// Dynamic quantization over the range of an input and 0. ONNX's codes are UINT8, but products take the INT8
// codes and the INT32 zero point as they are.
struct Dynamic {
  TensorId codes = 0, scale = 0, zero_point = 0;
};

Dynamic quantized(Call& call, TensorId x) {
  Emitter& emitter = call.emitter();
  const Ids made =
      emitter.emit_many(Op::dynamic_quantize, {x}, {}, {.count = 3, .quant = Quantization{{1.0}, {0}}});
  const TensorId codes = call.emit(Op::quant_dtype_cast, {made[0]},
                                   {{Attr::source_type, OH_NN_INT8}, {Attr::target_type, OH_NN_UINT8}},
                                   {.dtypes = {DType::u8}, .quant = Quantization{}});
  const TensorId zero_point = call.cast(call.add(made[2], 128.0), DType::u8);
  keep_as_integers(emitter, codes, made[0]);
  keep_as_zero_point(emitter, zero_point, made[2]);
  return {codes, made[1], zero_point};
}

Ids dynamic_quantize(Call& call) {
  const Dynamic made = quantized(call, call.input(0));
  return {made.codes, made.scale, made.zero_point};
}

TensorId with_scales(Call& call, TensorId product, TensorId scale, size_t bias) {
  const TensorId y = call.mul(call.cast(product, DType::f32), scale);
  return call.has(bias) ? call.add(y, call.input(bias)) : y;
}

// Inputs: a, b, their scales, their zero points, bias.
Ids matmul_integer_to_float(Call& call) {
  const TensorId sum = sums_of(call, product_of_integers, 4, 5);
  return {with_scales(call, sum, call.mul(call.input(2), call.input(3)), 6)};
}

// Inputs: a (quantized at run time), b, its scale and zero point, bias.
Ids dynamic_quantize_matmul(Call& call) {
  const Dynamic a = quantized(call, call.input(0));
  const Integers left{.value = {.plain = a.codes}, .zero = a.zero_point};
  const Integers right = integers_of(call, 1, 3);
  return {with_scales(call, product_of_integers(call, left, right), call.mul(a.scale, call.input(2)), 4)};
}

}  // namespace

std::vector<Row> integer_matmul_rows() {
  return {
      {"ConvInteger", conv_integer},
      {"DynamicQuantizeLinear", dynamic_quantize},
      runtime_row("DynamicQuantizeMatMul", dynamic_quantize_matmul),
      {"MatMulInteger", matmul_integer},
      runtime_row("MatMulIntegerToFloat", matmul_integer_to_float),
  };
}

}  // namespace nnrt::import::onnx
