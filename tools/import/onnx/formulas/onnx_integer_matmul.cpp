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

// Dynamic quantization over the range of an input and 0. ONNX's codes are UINT8, but products take the INT8
// codes and the INT32 zero point as they are.
struct Dynamic {
  TensorId codes = 0, scale = 0, zero_point = 0;
};

Dynamic quantized(Formula& f, TensorId x) {
  Emitter& emitter = f.call().emitter();
  const Ids made = required(emitter.emit_many(extension(OH_NN_OPS_DYNAMIC_QUANTIZE), {x}, {},
                                              {.count = 3, .quant = Quant{{1.0}, {0}}}));
  const TensorId codes = f.emit(OH_NN_OPS_QUANT_DTYPE_CAST, {made[0]},
                                {int64_parameter(OH_NN_QUANT_DTYPE_CAST_SRC_T, OH_NN_INT8),
                                 int64_parameter(OH_NN_QUANT_DTYPE_CAST_DST_T, OH_NN_UINT8)},
                                {.dtypes = {DType::u8}, .quant = Quant{}});
  const TensorId zero_point = f.cast(f.add(made[2], 128.0), DType::u8);
  keep_as_integers(emitter, codes, made[0]);
  keep_as_zero_point(emitter, zero_point, made[2]);
  return {codes, made[1], zero_point};
}

Result<Ids> dynamic_quantize(Call& call) {
  Formula f(call);
  const Dynamic made = quantized(f, f.input(0));
  return Ids{made.codes, made.scale, made.zero_point};
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
  const Integers left{.value = {.plain = a.codes}, .zero = a.zero_point};
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
