// Integer operators with explicit scales and zero points, which may be dynamic: exact INT32 sums of products
// of zero-centered INT8 and UINT8 values. Constant zero points become those of quantized operands, and
// kernels subtract them. Dynamic ones are subtracted from the sums: sum (a - z) b = sum a b - z sum b.
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/onnx_quantization.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

struct Integers {
  Value value;
  std::optional<TensorId> zero{};  // zero points, with the dtype of the values
};

struct Factor {
  Value integers;                  // INT8 with scale 1
  std::optional<TensorId> zero{};  // INT32, still to be subtracted
};

// Products of the same values share their conversion (Emitter::once).
constexpr std::string_view kIntegers = "integers", kZeroPoint = "zero_point";

Quantization plain_quant() { return {{1.0}, {0}}; }

List<int64_t> key_of(TensorId plain, const Quantization& quant) {
  List<int64_t> key{plain};
  key.insert(key.end(), quant.zero_points.begin(), quant.zero_points.end());
  return key;
}

DType type_of(const Emitter& emitter, const Value& value) {
  return value.plain ? emitter.dtype(*value.plain) : value.code_type;
}

TensorId id_of(const Value& value) { return value.plain ? *value.plain : *value.quantized; }

// There may be `channels` constant zero points, one per slice of dimension 0.
Factor factor_of(Call& call, const Integers& from, int64_t channels) {
  Emitter& emitter = call.emitter();
  Value value = from.value;
  Coding coding{plain_quant(), type_of(emitter, value)};
  if (coding.type != DType::i8 && coding.type != DType::u8)
    fail(unsupported("Exact sums of ", name(coding.type), " are not supported."));
  const int32_t shift = coding.type == DType::u8 ? 128 : 0;  // UINT8 becomes INT8
  coding.quant.zero_points = {-shift};
  Factor factor;
  if (from.zero) {
    if (call.dtype(*from.zero) != coding.type)
      fail(damaged("The zero point and the values have different types."));
    const auto known = call.known_integers(*from.zero);
    const auto count = static_cast<int64_t>(known ? known->size() : 0);
    if (count > 0 && (count == 1 || count == channels)) {
      coding.quant = {List<double>(known->size(), 1.0), {}};
      for (const int64_t zero : *known)
        coding.quant.zero_points.push_back(static_cast<int32_t>(zero) - shift);
    } else {
      coding.quant = plain_quant();
      factor.zero = emitter.once(kZeroPoint, {*from.zero}, [&] {
        const TensorId zero = call.cast(*from.zero, DType::i32);
        return shift == 0 ? zero : call.sub(zero, static_cast<double>(shift));
      });
    }
  }
  const auto convert = [&] { return quantized_of(emitter, value, coding); };
  TensorId quantized = 0;
  if (value.plain && !value.quantized && !call.is_constant(*value.plain)) {
    quantized = emitter.once(kIntegers, key_of(*value.plain, coding.quant), convert);
  } else {
    quantized = convert();
  }
  factor.integers = {.plain = {}, .quantized = quantized, .dequantized = true};
  return factor;
}

// Runs an operator's handler on quantized operands and returns the sums without requantization.
TensorId sums_by(Call& call, std::string_view type, Value a, Value b) {
  Call inner(*find_row(type, ""), call.node(), call.opset(), call.emitter());
  inner.inputs = {&a, &b};
  inner.wanted = {true};
  call.emitter().set_target(plain_quant());
  call.emitter().set_sums(true);
  Result<Ids> made = run_handler(inner);
  call.emitter().set_sums(false);
  call.emitter().set_target({});
  return required(std::move(made))[0];
}

Value as_integers(Call& call, TensorId plain) {
  Value value{.plain = plain};
  const TensorId quantized = quantized_of(call.emitter(), value, {plain_quant(), DType::i8});
  return {.plain = {}, .quantized = quantized, .dequantized = true};
}

Value ones(Call& call, const Dims& shape) { return as_integers(call, call.filled(DType::i8, shape, 1)); }

// An image of ones; if nothing is padded, just large enough for the filters.
Value ones_like(Call& call, const Integers& input, const Dims& filters) {
  Dims shape = call.shape(id_of(input.value));
  const List<int64_t> pads = call.attributes.integers("pads"),
                      dilations = call.attributes.integers("dilations");
  const std::string mode = call.attributes.text("auto_pad", "NOTSET");
  const bool padded = std::ranges::any_of(pads, [](int64_t pad) { return pad != 0; });
  if (!shape.empty()) shape[0] = 1;
  if (mode == "VALID" || (mode == "NOTSET" && !padded)) {
    for (size_t i = 2; i < std::min(shape.size(), filters.size()); ++i) {
      const int64_t dilation = i - 2 < dilations.size() ? dilations[i - 2] : 1;
      shape[i] = filters[i] == kUnknown ? kUnknown : (filters[i] - 1) * dilation + 1;
    }
  }
  if (is_static(shape)) return ones(call, shape);
  Value plain = input.value;
  const TensorId x = plain_of(call.emitter(), plain);
  return as_integers(call, call.cast(call.equal(x, x), DType::i8));
}

// Like MatMul. Zero points are scalar, or per row (left) or per column (right).
TensorId product_of_integers(Call& call, const Integers& left, const Integers& right) {
  const TensorId left_id = id_of(left.value), right_id = id_of(right.value);
  const bool is_matrix = call.rank(right_id) == 2 && call.is_constant(right_id);
  Factor a = factor_of(call, left, 1);
  const Factor b = factor_of(call, right, is_matrix ? call.shape(right_id)[1] : 1);
  TensorId sum = sums_by(call, "MatMul", a.integers, b.integers);
  if (!a.zero && !b.zero) return sum;

  const int64_t left_rank = call.rank(left_id), right_rank = call.rank(right_id);
  const int64_t inner = call.length(right_id, std::max<int64_t>(right_rank - 2, 0));
  if (a.zero && left_rank > 1 && call.rank(*a.zero) == 1 && call.shape(*a.zero) != Dims{1})
    a.zero = call.unsqueeze(*a.zero, {1});
  if (a.zero) {
    const Value row = ones(call, left_rank == 1 ? Dims{inner} : Dims{1, inner});
    sum = call.sub(sum, call.mul(*a.zero, sums_by(call, "MatMul", row, b.integers)));
  }
  if (b.zero) {
    const Value column = ones(call, right_rank == 1 ? Dims{inner} : Dims{inner, 1});
    sum = call.sub(sum, call.mul(*b.zero, sums_by(call, "MatMul", a.integers, column)));
  }
  if (a.zero && b.zero) sum = call.add(sum, call.mul(call.mul(*a.zero, *b.zero), static_cast<double>(inner)));
  return sum;
}

// Like Conv, with the node's attributes. Zero points of weights are scalar or per filter.
TensorId convolution_of_integers(Call& call, const Integers& input, const Integers& weights) {
  const Dims filters = call.shape(id_of(weights.value));
  if (filters.size() < 3) fail(damaged("The rank (", filters.size(), ") of the weights is below 3."));
  const Factor x = factor_of(call, input, 1);
  Factor w = factor_of(call, weights, filters[0]);
  TensorId sum = sums_by(call, "Conv", x.integers, w.integers);
  if (!x.zero && !w.zero) return sum;

  const Value image = x.zero ? ones_like(call, input, filters) : Value{};
  if (x.zero) sum = call.sub(sum, call.mul(*x.zero, sums_by(call, "Conv", image, w.integers)));
  if (!w.zero) return sum;
  if (call.rank(*w.zero) == 1) {
    List<int64_t> axes;
    for (size_t d = 2; d < filters.size(); ++d) axes.push_back(static_cast<int64_t>(d) - 1);
    w.zero = call.unsqueeze(*w.zero, axes);
  }
  if (!is_static(filters))
    fail(unsupported("The shape ", to_string(filters), " of the weights is not known."));
  const Value each = ones(call, filters);
  sum = call.sub(sum, call.mul(*w.zero, sums_by(call, "Conv", x.integers, each)));
  if (x.zero) sum = call.add(sum, call.mul(call.mul(*x.zero, *w.zero), sums_by(call, "Conv", image, each)));
  return sum;
}

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
  // Products of the UINT8 values take the INT8 tensor and its zero point instead of converting them.
  emitter.once(kIntegers, key_of(codes, plain_quant()), [&] { return made[0]; });
  emitter.once(kZeroPoint, {zero_point}, [&] { return made[2]; });
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
