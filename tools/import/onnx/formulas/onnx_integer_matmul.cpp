// Products of integers, which are exact in FLOAT32 as long as the sums are below 2^24.
#include "tools/import/onnx/onnx_formula.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";

// Sums of so many products of 8-bit values less zero points are exact.
constexpr int64_t kMaxExact = 256;

// The input less its zero point, as FLOAT32. A zero point for each row of the left operand stands in a
// column.
TensorId less_zero_point(Formula& f, size_t input, size_t zero, bool rows) {
  const TensorId x = f.cast(f.input(input), DType::f32);
  if (!f.call().has(zero)) return x;
  TensorId point = f.cast(f.input(zero), DType::f32);
  if (f.ok() && rows && f.rank(point) == 1 && f.shape(point) != nnrt::Shape{1})
    point = f.unsqueeze(point, {1});
  return f.sub(x, point);
}

// The sums of parts of the inner dimension, each of them exact, as INT32.
TensorId exact_product(Formula& f, TensorId a, TensorId b) {
  const int64_t inner = f.length(b, std::max<int64_t>(f.rank(b) - 2, 0));
  if (!f.ok() || inner <= kMaxExact) return f.cast(f.matmul(a, b), DType::i32);
  TensorId sum = 0;
  for (int64_t begin = 0; begin < inner && f.ok(); begin += kMaxExact) {
    const TensorId left = f.slice(a, f.rank(a) - 1, begin, begin + kMaxExact),
                   right = f.slice(b, std::max<int64_t>(f.rank(b) - 2, 0), begin, begin + kMaxExact);
    const TensorId part = f.cast(f.matmul(left, right), DType::i32);
    sum = begin == 0 ? part : f.add(sum, part);
  }
  return sum;
}

Result<Ids> matmul_integer(Call& call) {
  Formula f(call);
  const TensorId a = less_zero_point(f, 0, 2, true), b = less_zero_point(f, 1, 3, false);
  NNRT_TRY(f.results({}));
  constexpr int64_t kMaxInner = 1 << 16;
  if (f.rank(b) > 0 && f.length(b, std::max<int64_t>(f.rank(b) - 2, 0)) > kMaxInner)
    return unsupported("Products of more than ", kMaxInner, " integers are not supported.");
  return f.results({exact_product(f, a, b)});
}

// The convolution of floats is as exact as FLOAT32 is.
Result<Ids> conv_integer(Call& call) {
  Formula f(call);
  if (call.has(3) && f.ok() && f.rank(f.input(3)) == 1 && f.shape(f.input(3)) != nnrt::Shape{1})
    return unsupported("Zero points for each channel are not supported.");
  Value x{.plain = less_zero_point(f, 0, 2, false)}, w{.plain = less_zero_point(f, 1, 3, false)};
  NNRT_TRY(f.results({}));
  Call conv(*find_row("Conv", ""), call.node(), call.opset(), call.emitter());
  conv.inputs = {&x, &w};
  conv.wanted = {true};
  NNRT_ASSIGN(const Ids made, conv.row().handler(conv));
  return f.results({f.cast(made[0], DType::i32)});
}

struct Dynamic {
  TensorId quantized = 0, scale = 0, zero_point = 0;  // floats
};

// UINT8 over the range of the input and 0, which is known only in the run.
Dynamic quantized(Formula& f, TensorId x) {
  Dynamic made;
  std::vector<int64_t> axes;
  for (int64_t d = 0; f.ok() && d < f.rank(x); ++d) axes.push_back(d);
  const TensorId zero = f.number(x, 0);
  const TensorId high = f.max(f.largest(x, axes, false), zero),
                 low = f.min(f.neg(f.largest(f.neg(x), axes, false)), zero);
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
  return f.results({f.cast(made.quantized, DType::u8), made.scale, f.cast(made.zero_point, DType::u8)});
}

TensorId with_scales(Formula& f, TensorId product, TensorId scale, size_t bias) {
  const TensorId y = f.mul(f.cast(product, DType::f32), scale);
  return f.call().has(bias) ? f.add(y, f.input(bias)) : y;
}

// Inputs: a, b, their scales, their zero points, bias.
Result<Ids> matmul_integer_to_float(Call& call) {
  Formula f(call);
  const TensorId a = less_zero_point(f, 0, 4, true), b = less_zero_point(f, 1, 5, false);
  return f.results({with_scales(f, exact_product(f, a, b), f.mul(f.input(2), f.input(3)), 6)});
}

// Inputs: a, which is quantized in the run, b, its scale and zero point, bias.
Result<Ids> dynamic_quantize_matmul(Call& call) {
  Formula f(call);
  const Dynamic a = quantized(f, f.input(0));
  const TensorId left = f.sub(a.quantized, a.zero_point), b = less_zero_point(f, 1, 3, false);
  return f.results({with_scales(f, exact_product(f, left, b), f.mul(a.scale, f.input(2)), 4)});
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
