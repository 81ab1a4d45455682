// QuantizeLinear, DequantizeLinear and operators with scales and zero points as inputs.
#include "tools/import/onnx/onnx_blocks.h"
#include "tools/import/onnx/onnx_quantization.h"
#include "tools/import/onnx/quantized/onnx_linear.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

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
