// QuantizeLinear, DequantizeLinear and operators with scales and zero points as inputs.
#include "tools/import/onnx/onnx_blocks.h"
#include "tools/import/onnx/onnx_quantization.h"
#include "tools/import/onnx/quantized/onnx_linear.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

std::vector<Parameter> cast_parameters(DType from, DType to, uint32_t axis) {
  return {int64_parameter(OH_NN_QUANT_DTYPE_CAST_SRC_T, static_cast<int64_t>(from)),
          int64_parameter(OH_NN_QUANT_DTYPE_CAST_DST_T, static_cast<int64_t>(to)),
          int64_parameter(OH_NN_QUANT_DTYPE_CAST_AXIS, axis)};
}

// The same bytes (UINT8 minus 128) with other parameters. `axis` is that of the present ones.
Result<TensorId> labelled(Emitter& emitter, TensorId id, const Coding& coding, uint32_t axis = 0) {
  if (emitter.is_constant(id)) {
    nnrt::Tensor copy = emitter.tensor(id);
    copy.quant = coding.quant;
    if (copy.dtype == DType::u8) {
      Bytes quantized(copy.data->begin(), copy.data->end());
      for (std::byte& value : quantized) value ^= std::byte{0x80};
      NNRT_TRY(emitter.budget().check());
      emitter.budget().count(quantized.size());
      copy.dtype = DType::i8;
      copy.data = std::make_shared<const Bytes>(std::move(quantized));
    }
    return emitter.add(std::move(copy));
  }
  if (!emitter.tensor(id).quant.empty()) {
    NNRT_ASSIGN(id,
                emitter.emit(OH_NN_OPS_QUANT_DTYPE_CAST, {id}, cast_parameters(DType::i8, DType::i8, axis),
                             {.dtypes = {DType::i8}, .quant = Quant{}}));
  }
  return emitter.emit(OH_NN_OPS_QUANT_DTYPE_CAST, {id},
                      cast_parameters(emitter.dtype(id), DType::i8, coding.axis),
                      {.dtypes = {DType::i8}, .quant = coding.quant});
}

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

bool has_constants(Call& call, size_t first, size_t count) {
  for (size_t i = first; i < first + count; ++i) {
    if (!call.has(i)) continue;
    const Value& value = call.value(i);
    if (!value.plain || !call.emitter().known_numbers(*value.plain)) return false;
  }
  return true;
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

Result<Coding> read_coding(Call& call, size_t scale, size_t zero_point, DType absent) {
  Coding coding;
  coding.type = absent;
  NNRT_ASSIGN(coding.quant.scales, call.numbers(scale));
  List<int64_t> zeros(coding.quant.scales.size(), 0);
  if (call.has(zero_point)) {
    NNRT_ASSIGN(zeros, call.integers(zero_point));
    NNRT_ASSIGN(const TensorId id, call.plain_input(zero_point));
    coding.type = call.emitter().dtype(id);
  }
  if (coding.type != DType::i8 && coding.type != DType::u8 && coding.type != DType::i32)
    return unsupported("Quantized values of type ", name(coding.type), " are not supported.");
  if (zeros.empty() || zeros.size() != coding.quant.scales.size())
    return damaged("The number of scales (", coding.quant.scales.size(),
                   ") differs from the number of zero points (", zeros.size(), ").");
  for (const int64_t zero : zeros) {
    if (coding.type == DType::i32 && zero != 0)
      return damaged("The zero point (", zero, ") of an INT32 value is not 0.");
    coding.quant.zero_points.push_back(static_cast<int32_t>(coding.type == DType::u8 ? zero - 128 : zero));
  }
  for (const double one : coding.quant.scales) {
    if (!(one > 0 && one < 1e30)) return damaged("A scale (", one, ") is not a positive number.");
  }
  return coding;
}

Result<std::optional<Coding>> byte_coding(Call& call) {
  constexpr size_t kScale = 1, kZeroPoint = 2;
  NNRT_ASSIGN(const CodeType type, code_type_of(call));
  const bool is_byte = type.is_byte() && (type.dtype == DType::i8 || type.dtype == DType::u8);
  if (!is_byte || call.attributes.count("block_size", 0) != 0 || !has_constants(call, kScale, 2))
    return std::optional<Coding>();
  NNRT_ASSIGN(const Coding coding, read_coding(call, kScale, kZeroPoint, type.dtype));
  return std::optional(coding);
}

Result<TensorId> quantized_of(Emitter& emitter, Value& value, const Coding& coding) {
  if (value.quantized && !value.dequantized) {
    if (value.code_type != coding.type) return damaged("The zero point and the values have different types.");
    const bool is_same = emitter.tensor(*value.quantized).quant == coding.quant && value.axis == coding.axis;
    return is_same ? Result<TensorId>(*value.quantized)
                   : labelled(emitter, *value.quantized, coding, value.axis);
  }
  NNRT_ASSIGN(const TensorId plain, plain_of(emitter, value));
  if (emitter.dtype(plain) != coding.type || coding.type == DType::i32)
    return damaged("The zero point and the values have different types.");
  return labelled(emitter, plain, coding);
}

Result<Value> run_quantized(Call& call, const Coding& coding) {
  Emitter& emitter = call.emitter();
  emitter.set_target(coding.quant);
  Result<Ids> made = run_handler(call);
  emitter.set_target({});
  if (!made.ok()) return std::move(made).error();
  TensorId quantized = made.value()[0];
  if (emitter.tensor(quantized).quant != coding.quant) {
    NNRT_ASSIGN(quantized, emitter.emit(OH_NN_OPS_QUANT_DTYPE_CAST, {quantized},
                                        cast_parameters(emitter.dtype(quantized), DType::i8, 0),
                                        {.dtypes = {DType::i8}, .quant = coding.quant}));
  }
  return Value{{}, quantized, false, coding.type, 0};
}

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
