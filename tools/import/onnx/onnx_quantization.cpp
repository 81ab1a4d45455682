#include "tools/import/onnx/onnx_quantization.h"

#include "tools/import/onnx/onnx_constants.h"

namespace nnrt::import::onnx {
namespace {

constexpr size_t kScale = 1, kZeroPoint = 2;

CodeType code_type_of(int32_t data_type) {
  if (const int bits = packed_bits(data_type)) return CodeType{widened_type(data_type), bits};
  const DType dtype = required(dtype_of(data_type));
  return CodeType{dtype, static_cast<int>(8 * size_of(dtype))};
}

}  // namespace

CodeType code_type_of(Call& call) {
  const auto given = static_cast<int32_t>(call.attributes.integer("output_dtype", 0));
  if (!call.has(kZeroPoint)) return given == 0 ? CodeType{} : code_type_of(given);
  const Value& zero = call.value(kZeroPoint);
  const DType dtype = zero.plain ? call.dtype(*zero.plain) : zero.code_type;
  CodeType type{dtype, zero.bits != 0 ? zero.bits : static_cast<int>(8 * size_of(dtype))};
  if (given == 0) return type;
  const CodeType named = code_type_of(given);
  if (named.dtype == type.dtype) return named;
  fail(damaged("The zero point is ", name(type.dtype), ", but output_dtype is ", name(named.dtype), "."));
}

Settings cast_parameters(DType from, DType to, uint32_t axis) {
  return {{Attr::source_type, from}, {Attr::target_type, to}, {Attr::axis, axis}};
}

bool has_constants(Call& call, size_t first, size_t count) {
  for (size_t i = first; i < first + count; ++i) {
    if (!call.has(i)) continue;
    const Value& value = call.value(i);
    if (!value.plain || !call.known_numbers(*value.plain)) return false;
  }
  return true;
}

TensorId labelled(Emitter& emitter, TensorId id, const Coding& coding, uint32_t axis) {
  if (emitter.is_constant(id)) {
    Tensor copy = emitter.tensor(id);
    copy.quantization = coding.quant;
    if (copy.type == OH_NN_UINT8) {
      Bytes quantized(copy.data->begin(), copy.data->end());
      for (std::byte& value : quantized) value ^= std::byte{0x80};
      required(emitter.budget().check());
      emitter.budget().count(quantized.size());
      copy.type = OH_NN_INT8;
      copy.data = std::make_shared<const Bytes>(std::move(quantized));
    }
    return emitter.add(std::move(copy));
  }
  if (!emitter.tensor(id).quantization.empty())
    id = emitter.emit(Op::quant_dtype_cast, {id}, cast_parameters(DType::i8, DType::i8, axis),
                      {.dtypes = {DType::i8}, .quant = Quantization{}});
  return emitter.emit(Op::quant_dtype_cast, {id}, cast_parameters(emitter.dtype(id), DType::i8, coding.axis),
                      {.dtypes = {DType::i8}, .quant = coding.quant});
}

Coding read_coding(Call& call, size_t scale, size_t zero_point, DType absent) {
  Coding coding;
  coding.type = absent;
  coding.quant.scales = call.numbers(scale);
  List<int64_t> zeros(coding.quant.scales.size(), 0);
  if (call.has(zero_point)) {
    zeros = call.integers(zero_point);
    coding.type = call.dtype(call.plain_input(zero_point));
  }
  if (coding.type != DType::i8 && coding.type != DType::u8 && coding.type != DType::i32)
    fail(unsupported("Quantized values of type ", name(coding.type), " are not supported."));
  if (zeros.empty() || zeros.size() != coding.quant.scales.size())
    fail(damaged("The number of scales (", coding.quant.scales.size(),
                 ") differs from the number of zero points (", zeros.size(), ")."));
  for (const int64_t zero : zeros) {
    if (coding.type == DType::i32 && zero != 0)
      fail(damaged("The zero point (", zero, ") of an INT32 value is not 0."));
    coding.quant.zero_points.push_back(static_cast<int32_t>(coding.type == DType::u8 ? zero - 128 : zero));
  }
  for (const double one : coding.quant.scales) {
    if (!(one > 0 && one < 1e30)) fail(damaged("A scale (", one, ") is not a positive number."));
  }
  return coding;
}

std::optional<Coding> byte_coding(Call& call) {
  const CodeType type = code_type_of(call);
  const bool is_byte = type.is_byte() && (type.dtype == DType::i8 || type.dtype == DType::u8);
  if (!is_byte || call.attributes.count("block_size", 0) != 0 || !has_constants(call, kScale, 2)) return {};
  return read_coding(call, kScale, kZeroPoint, type.dtype);
}

TensorId quantized_of(Emitter& emitter, Value& value, const Coding& coding) {
  if (value.quantized && !value.dequantized) {
    if (value.code_type != coding.type) fail(damaged("The zero point and the values have different types."));
    const bool is_same =
        emitter.tensor(*value.quantized).quantization == coding.quant && value.axis == coding.axis;
    return is_same ? *value.quantized : labelled(emitter, *value.quantized, coding, value.axis);
  }
  const TensorId plain = plain_of(emitter, value);
  if (emitter.dtype(plain) != coding.type || coding.type == DType::i32)
    fail(damaged("The zero point and the values have different types."));
  return labelled(emitter, plain, coding);
}

Value run_quantized(Call& call, const Coding& coding) {
  Emitter& emitter = call.emitter();
  emitter.set_target(coding.quant);
  Result<Ids> made = run_handler(call);
  emitter.set_target({});
  TensorId quantized = required(std::move(made))[0];
  if (call.tensor(quantized).quantization != coding.quant)
    quantized =
        emitter.emit(Op::quant_dtype_cast, {quantized}, cast_parameters(call.dtype(quantized), DType::i8, 0),
                     {.dtypes = {DType::i8}, .quant = coding.quant});
  return Value{{}, quantized, false, coding.type, 0};
}

}  // namespace nnrt::import::onnx
