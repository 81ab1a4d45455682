// QuantizeLinear, DequantizeLinear and operators with scales and zero points as inputs.
#include "tools/import/onnx/onnx_blocks.h"
#include "tools/import/onnx/onnx_quantization.h"
#include "tools/import/onnx/quantized/onnx_linear.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

// The axis whose length matches the number of scales.
Result<uint32_t> scale_axis(Call& call, TensorId x, const Quant& quant) {
  if (quant.scales.size() == 1) return 0u;
  NNRT_ASSIGN(const int64_t axis, call.axis(call.attributes.integer("axis", 1), call.rank(x)));
  const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
  if (length != static_cast<int64_t>(quant.scales.size()))
    return unsupported("The number of scales (", quant.scales.size(), ") is not the length ", length,
                       " of dimension ", axis, ".");
  return static_cast<uint32_t>(axis);
}

Result<Ids> quantize(Call& call) {
  if (!call.has(0)) return damaged("Input 0 is absent.");
  if (const NarrowFloat* const narrow = narrow_code_of(call)) return quantize_to_narrow(call, *narrow);
  NNRT_ASSIGN(const CodeType type, code_type_of(call));
  NNRT_ASSIGN(const std::optional<Coding> coding, byte_coding(call));
  if (!coding) return quantize_by_formula(call, type);
  Emitter& emitter = call.emitter();
  const Value& source = call.value(0);
  const auto is_along_its_axis = [&] {
    const Result<uint32_t> axis = scale_axis(call, *source.quantized, coding->quant);
    return axis.ok() && axis.value() == source.axis;
  };
  if (source.dequantized && emitter.tensor(*source.quantized).quant == coding->quant &&
      emitter.dtype(*source.quantized) == DType::i8 && is_along_its_axis()) {
    call.result = Value{.quantized = source.quantized, .code_type = coding->type, .axis = source.axis};
    return Ids{*source.quantized};
  }
  NNRT_ASSIGN(const TensorId x, call.plain_input(0));
  const Result<uint32_t> axis = scale_axis(call, x, coding->quant);
  if (!axis.ok() || !kFloat.contains(emitter.dtype(x))) return quantize_by_formula(call, type);
  NNRT_ASSIGN(const TensorId quantized, call.emit(OH_NN_OPS_QUANT_DTYPE_CAST, {x},
                                                  cast_parameters(emitter.dtype(x), DType::i8, axis.value()),
                                                  {.dtypes = {DType::i8}, .quant = coding->quant}));
  call.result = Value{.quantized = quantized, .code_type = coding->type, .axis = axis.value()};
  return Ids{quantized};
}

// Returns whether the value can be a quantized tensor: a constant of that dtype, or any 8-bit value.
bool is_quantized_tensor(Call& call, const Value& source, DType type) {
  if (type == DType::i8 || type == DType::u8) return true;
  return type == DType::i32 && call.emitter().is_constant(*source.plain);
}

Result<Ids> dequantize(Call& call) {
  if (!call.has(0)) return damaged("Input 0 is absent.");
  Value& source = call.value(0);
  Emitter& emitter = call.emitter();
  const DType type = source.plain ? emitter.dtype(*source.plain) : source.code_type;
  const int64_t block_size = call.attributes.count("block_size", 0);
  if (!has_constants(call, 1, 2) || !is_quantized_tensor(call, source, type) ||
      (block_size != 0 && !(source.plain && emitter.is_constant(*source.plain) && type != DType::i32)))
    return dequantize_by_formula(call);
  NNRT_ASSIGN(const DType real_type, real_type_of(call));
  if (!kFloat.contains(real_type)) return dequantize_by_formula(call);
  if (block_size != 0) {
    NNRT_ASSIGN(call.result, blocked_value(call, block_size));
    call.result->real_type = real_type;
    return Ids{*call.result->quantized};
  }
  NNRT_ASSIGN(Coding coding, read_coding(call, 1, 2, type));
  if (coding.type != type) return damaged("The zero point and the values have different types.");
  const bool is_wide = type == DType::i32;
  const TensorId shaped = source.plain ? *source.plain : *source.quantized;
  const Result<uint32_t> axis = scale_axis(call, shaped, coding.quant);
  if (!axis.ok()) return dequantize_by_formula(call);
  coding.axis = axis.value();
  NNRT_ASSIGN(const TensorId quantized,
              is_wide ? labelled(emitter, *source.plain, coding) : quantized_of(emitter, source, coding));
  call.result = Value{.quantized = quantized,
                      .dequantized = true,
                      .code_type = type,
                      .axis = coding.axis,
                      .real_type = real_type};
  return Ids{quantized};
}

// A quantized operator: its operand inputs, each followed by scale and zero point.
struct Inner {
  std::string_view type;
  List<size_t> operands;
  size_t scale;  // of the result; its zero point follows
};

Inner inner_of(const Call& call) {
  const std::string_view type = call.row().type;
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

Result<Value> operand(Call& call, size_t i) {
  if (!call.has(i)) return damaged("Input ", i, " is absent.");
  Value& source = call.value(i);
  const DType type = source.plain ? call.emitter().dtype(*source.plain) : source.code_type;
  NNRT_ASSIGN(const Coding coding, read_coding(call, i + 1, i + 2, type));
  NNRT_ASSIGN(const TensorId quantized, quantized_of(call.emitter(), source, coding));
  return Value{{}, quantized, true, coding.type, 0};
}

// INT32 in units of both scales.
Result<Value> convolution_bias(Call& call, const Value& x, const Value& w) {
  constexpr size_t kBias = 8;
  NNRT_ASSIGN(const TensorId id, call.plain_input(kBias));
  const Emitter& emitter = call.emitter();
  Coding coding;
  for (const double scale : emitter.tensor(*w.quantized).quant.scales) {
    coding.quant.scales.push_back(scale * emitter.tensor(*x.quantized).quant.scales[0]);
    coding.quant.zero_points.push_back(0);
  }
  if (!emitter.is_constant(id)) return unsupported("The bias is not a constant.");
  NNRT_ASSIGN(const TensorId quantized, labelled(call.emitter(), id, coding));
  return Value{{}, quantized, true, DType::i32, 0};
}

Result<Ids> quantized(Call& call) {
  if (call.attributes.integer("channels_last", 0) != 0)
    return unsupported("Channels-last images are not supported.");
  const Inner inner = inner_of(call);
  List<Value> values;
  for (const size_t i : inner.operands) {
    NNRT_ASSIGN(values.emplace_back(), operand(call, i));
  }
  if (inner.type == "Conv" && call.has(8)) {
    NNRT_ASSIGN(values.emplace_back(), convolution_bias(call, values[0], values[1]));
  }
  NNRT_ASSIGN(const Coding coding, read_coding(call, inner.scale, inner.scale + 1, DType::u8));
  const int64_t opset = call.attributes.integer("opset", call.opset());  // as a Softmax of that opset
  Call computed(*find_row(inner.type, ""), call.node(), opset, call.emitter());
  for (Value& value : values) computed.inputs.push_back(&value);
  computed.wanted = {true};
  NNRT_ASSIGN(call.result, run_quantized(computed, coding));
  return Ids{*call.result->quantized};
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
    rows.push_back({type, quantized, {}, kNoQuantizedInputs, false, "com.microsoft"});
  }
  rows.push_back({"DequantizeLinear", dequantize, {}, kNoQuantizedInputs, false, "com.microsoft"});
  rows.push_back({"QuantizeLinear", quantize, {}, kNoQuantizedInputs, false, "com.microsoft"});
  return rows;
}

}  // namespace nnrt::import::onnx
