// QuantizeLinear, DequantizeLinear and operators with scales and zero points as inputs.
#include "tools/import/onnx/onnx_blocks.h"
#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/onnx/onnx_narrow_float.h"
#include "tools/import/onnx/onnx_quantization.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

constexpr size_t kScale = 1, kZeroPoint = 2;

// Reshapes a scale or zero point to broadcast to x: per tensor, per index of the axis, or per block along it.
TensorId beside(Call& call, TensorId parameter, TensorId x, int64_t axis, int64_t block) {
  const Dims shape = call.shape(parameter);
  if (shape.empty() || (block == 0 && nnrt::element_count(shape) == 1)) return parameter;
  if (block == 0) return call.unsqueeze(parameter, axes_between(1, call.rank(x) - axis));
  if (call.rank(parameter) != call.rank(x) || !is_static(shape))
    fail(unsupported("Blocks of ", to_string(call.shape(x)), " with parameters of shape ", to_string(shape),
                     " are not supported."));
  const auto at = static_cast<size_t>(axis);
  Dims each = shape, whole = shape;
  each.insert_at(at + 1, block);
  whole[at] *= block;
  const TensorId repeated = call.broadcast(call.unsqueeze(parameter, {axis + 1}), each);
  return call.slice(call.reshape(repeated, whole), axis, 0, call.length(x, axis));
}

struct Parameters {
  TensorId scale = 0;  // FLOAT32
  std::optional<TensorId> zero{};
};

Parameters parameters_of(Call& call, TensorId x, DType zero_type) {
  const int64_t block = call.attributes.count("block_size", 0);
  Parameters parameters;
  const TensorId scale = call.input(kScale);
  const bool has_axis = call.rank(scale) > 0 && nnrt::element_count(call.shape(scale)) != 1;
  int64_t axis = 0;
  if (block < 0) fail(damaged("The block size (", block, ") is below 0."));
  if (has_axis || block > 0) axis = call.axis(call.attributes.integer("axis", 1), call.rank(x));
  parameters.scale = beside(call, call.cast(scale, DType::f32), x, axis, block);
  if (call.has(kZeroPoint)) {
    const TensorId zero = call.cast(call.input(kZeroPoint), zero_type);
    parameters.zero = beside(call, zero, x, axis, block);
  }
  return parameters;
}

// The type of QuantizeLinear's output if it is FLOAT8, otherwise null.
const NarrowFloat* narrow_code_of(Call& call) {
  if (call.has(kZeroPoint)) return call.value(kZeroPoint).narrow;
  return narrow_float(static_cast<int32_t>(call.attributes.integer("output_dtype", 0)));
}

// For dtypes and parameters that OH_NN's quantized tensors lack.
Ids quantize_by_formula(Call& call, const CodeType& type) {
  constexpr DTypeSet kStored{DType::i8, DType::u8, DType::i16, DType::u16};
  if (!kStored.contains(type.dtype))
    fail(unsupported("Quantized values of type ", name(type.dtype), " are not supported."));
  const TensorId x = call.cast(call.input(0), DType::f32);
  const Parameters parameters = parameters_of(call, x, DType::f32);
  TensorId steps = call.round(call.div(x, parameters.scale));
  if (parameters.zero) steps = call.add(steps, *parameters.zero);
  steps = call.clip(steps, static_cast<double>(type.low()), static_cast<double>(type.high()));
  const TensorId made = call.cast(steps, type.dtype);
  call.result = Value{.plain = made, .bits = type.bits};
  return {made};
}

// Zero points of FLOAT8 are 0.
Ids quantize_to_narrow(Call& call, const NarrowFloat& type) {
  const TensorId x = call.cast(call.input(0), DType::f32);
  const TensorId steps = call.div(x, parameters_of(call, x, DType::f32).scale);
  const TensorId made = rounded_to(call, steps, type, call.attributes.flag("saturate", true));
  call.result = Value{.plain = made, .narrow = &type};
  return {made};
}

// The output dtype of DequantizeLinear: the scale's, unless the attribute overrides it.
DType real_type_of(Call& call) {
  const auto given = static_cast<int32_t>(call.attributes.integer("output_dtype", 0));
  if (given != 0) return required(stored_dtype_of(given));
  return call.dtype(call.plain_input(kScale));
}

Ids dequantize_by_formula(Call& call) {
  constexpr DTypeSet kStored{DType::i8, DType::u8, DType::i16, DType::u16, DType::i32};
  const TensorId x = call.input(0);
  const bool is_narrow = call.value(0).narrow != nullptr;
  if (!is_narrow && !kStored.contains(call.dtype(x)))
    fail(unsupported("Quantized values of type ", name(call.dtype(x)), " are not supported."));
  const Parameters parameters = parameters_of(call, x, DType::i32);
  TensorId steps = is_narrow ? x : call.cast(x, DType::i32);
  if (parameters.zero && !is_narrow) steps = call.sub(steps, *parameters.zero);
  const TensorId real = call.mul(call.cast(steps, DType::f32), parameters.scale);
  return {call.cast(real, real_type_of(call))};
}

// The axis, if its length is the number of scales.
std::optional<uint32_t> scale_axis(Call& call, TensorId x, const Quantization& quant) {
  if (quant.scales.size() == 1) return 0u;
  const int64_t axis = call.axis(call.attributes.integer("axis", 1), call.rank(x));
  const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
  if (length != static_cast<int64_t>(quant.scales.size())) return {};
  return static_cast<uint32_t>(axis);
}

Ids quantize(Call& call) {
  if (const NarrowFloat* const narrow = narrow_code_of(call)) return quantize_to_narrow(call, *narrow);
  const CodeType type = code_type_of(call);
  const std::optional<Coding> coding = byte_coding(call);
  if (!coding) return quantize_by_formula(call, type);
  const Value& source = call.value(0);
  if (source.dequantized && call.tensor(*source.quantized).quantization == coding->quant &&
      call.dtype(*source.quantized) == DType::i8 &&
      scale_axis(call, *source.quantized, coding->quant) == source.axis) {
    call.result = Value{.quantized = source.quantized, .code_type = coding->type, .axis = source.axis};
    return {*source.quantized};
  }
  const TensorId x = call.plain_input(0);
  const std::optional<uint32_t> axis = scale_axis(call, x, coding->quant);
  if (!axis || !kFloat.contains(call.dtype(x))) return quantize_by_formula(call, type);
  const TensorId quantized =
      call.emit(Op::quant_dtype_cast, {x}, cast_parameters(call.dtype(x), DType::i8, *axis),
                {.dtypes = {DType::i8}, .quant = coding->quant});
  call.result = Value{.quantized = quantized, .code_type = coding->type, .axis = *axis};
  return {quantized};
}

// Returns whether the value can be a quantized tensor: a constant of that dtype, or any 8-bit value.
bool is_quantized_tensor(Call& call, const Value& source, DType type) {
  if (type == DType::i8 || type == DType::u8) return true;
  return type == DType::i32 && call.is_constant(*source.plain);
}

Ids dequantize(Call& call) {
  Value& source = call.value(0);
  const DType type = source.plain ? call.dtype(*source.plain) : source.code_type;
  const int64_t block_size = call.attributes.count("block_size", 0);
  if (!has_constants(call, 1, 2) || !is_quantized_tensor(call, source, type) ||
      (block_size != 0 && !(source.plain && call.is_constant(*source.plain) && type != DType::i32)))
    return dequantize_by_formula(call);
  const DType real_type = real_type_of(call);
  if (!kFloat.contains(real_type)) return dequantize_by_formula(call);
  if (block_size != 0) {
    call.result = blocked_value(call, block_size);
    call.result->real_type = real_type;
    return {*call.result->quantized};
  }
  Coding coding = read_coding(call, 1, 2, type);
  if (coding.type != type) fail(damaged("The zero point and the values have different types."));
  const bool is_wide = type == DType::i32;
  const TensorId shaped = source.plain ? *source.plain : *source.quantized;
  const std::optional<uint32_t> axis = scale_axis(call, shaped, coding.quant);
  if (!axis) return dequantize_by_formula(call);
  coding.axis = *axis;
  const TensorId quantized = is_wide ? labelled(call.emitter(), *source.plain, coding)
                                     : quantized_of(call.emitter(), source, coding);
  call.result = Value{.quantized = quantized,
                      .dequantized = true,
                      .code_type = type,
                      .axis = coding.axis,
                      .real_type = real_type};
  return {quantized};
}

// A quantized operator: its operand inputs, each followed by scale and zero point.
struct Inner {
  std::string_view type;
  List<size_t> operands;
  size_t scale;  // of the result; its zero point follows
};

Inner inner_of(const Call& call) {
  const std::string_view type = call.type();
  if (type == "QLinearConv") return {"Conv", {0, 3}, 6};
  if (type == "QLinearMatMul") return {"MatMul", {0, 3}, 6};
  if (type == "QLinearAdd") return {"Add", {0, 3}, 6};
  if (type == "QLinearMul") return {"Mul", {0, 3}, 6};
  if (type == "QLinearSigmoid") return {"Sigmoid", {0}, 3};
  if (type == "QLinearGlobalAveragePool") return {"GlobalAveragePool", {0}, 3};
  if (type == "QLinearAveragePool") return {"AveragePool", {0}, 3};
  if (type == "QLinearLeakyRelu") return {"LeakyRelu", {0}, 3};
  if (type == "QLinearSoftmax") return {"Softmax", {0}, 3};
  Inner concat{"Concat", {}, 0};
  for (size_t i = 2; i < call.input_count(); i += 3) concat.operands.push_back(i);
  return concat;
}

Value operand(Call& call, size_t i) {
  Value& source = call.value(i);
  const DType type = source.plain ? call.dtype(*source.plain) : source.code_type;
  const Coding coding = read_coding(call, i + 1, i + 2, type);
  return Value{{}, quantized_of(call.emitter(), source, coding), true, coding.type, 0};
}

// INT32 in units of both scales.
Value convolution_bias(Call& call, const Value& x, const Value& w) {
  constexpr size_t kBias = 8;
  const TensorId id = call.plain_input(kBias);
  Coding coding;
  for (const double scale : call.tensor(*w.quantized).quantization.scales) {
    coding.quant.scales.push_back(scale * call.tensor(*x.quantized).quantization.scales[0]);
    coding.quant.zero_points.push_back(0);
  }
  if (!call.is_constant(id)) fail(unsupported("The bias is not a constant."));
  const TensorId quantized = labelled(call.emitter(), id, coding);
  return Value{{}, quantized, true, DType::i32, 0};
}

Ids quantized(Call& call) {
  if (call.attributes.flag("channels_last")) fail(unsupported("Channels-last images are not supported."));
  const Inner inner = inner_of(call);
  List<Value> values;
  for (const size_t i : inner.operands) values.push_back(operand(call, i));
  if (inner.type == "Conv" && call.has(8)) values.push_back(convolution_bias(call, values[0], values[1]));
  const Coding coding = read_coding(call, inner.scale, inner.scale + 1, DType::u8);
  const int64_t opset = call.attributes.integer("opset", call.opset());  // as a Softmax of that opset
  Call computed(*find_row(inner.type, ""), call.node(), opset, call.emitter());
  for (Value& value : values) computed.inputs.push_back(&value);
  computed.wanted = {true};
  call.result = run_quantized(computed, coding);
  return {*call.result->quantized};
}

}  // namespace

std::vector<Row> quantized_rows() {
  std::vector<Row> rows{
      {"DequantizeLinear", dequantize},
      {"QLinearConv", quantized},
      {"QLinearMatMul", quantized},
      {"QuantizeLinear", quantize},
  };
  for (const std::string_view type :
       {"QLinearAdd", "QLinearAveragePool", "QLinearConcat", "QLinearGlobalAveragePool", "QLinearLeakyRelu",
        "QLinearMul", "QLinearSigmoid", "QLinearSoftmax"}) {
    rows.push_back(runtime_row(type, quantized));
  }
  rows.push_back(runtime_row("DequantizeLinear", dequantize));
  rows.push_back(runtime_row("QuantizeLinear", quantize));
  return rows;
}

}  // namespace nnrt::import::onnx
