// Dtype conversions.
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <limits>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

void cast(Operator& op, TensorId from, TensorId to) {
  op.build().operation(Op::cast, {from, op.build().scalar<int32_t>(op.build().tensor(to).type)}, {to});
}

// CAST reads stored values. Those of a former UINT8 tensor are 128 lower than in the file.
void cast(Operator& op) {
  const TensorId target = op.output();
  TensorId from = op.input(0);
  if (op.output_slot().is_shifted) op.refuse("makes a quantized UINT8 tensor of numbers");
  if (op.input_slot(0).is_shifted) from = op.add(op.cast(from, DType::i32), 128.0);
  cast(op, from, target);
}

const Quantization& quantization_of(const TensorSlot& slot, const Tensor& tensor) {
  return tensor.type == OH_NN_INT32 ? slot.integers : tensor.quantization;
}

// Codes minus the zero point, in FLOAT64, which is exact for all INT32 codes.
TensorId steps_of(Operator& op) {
  const Tensor from = op.input_tensor(0);
  const Quantization quantization = quantization_of(op.input_slot(0), from);
  if (quantization.scales.size() != 1) op.refuse("needs an operand with one scale");
  return op.sub(op.cast(op.input(0), DType::f64), double(quantization.zero_points[0]));
}

void quantize_to_int32(Operator& op) {
  const Tensor from = op.input_tensor(0);
  const Quantization to = op.output_slot().integers;
  if (to.scales.size() != 1) op.refuse("needs a result with one scale");
  const bool is_float = from.type == OH_NN_FLOAT32;
  TensorId codes = is_float ? op.cast(op.input(0), DType::f64) : steps_of(op);
  const double scale = is_float ? 1 : quantization_of(op.input_slot(0), from).scales[0];
  codes = op.emit(Op::round, {op.mul(codes, scale / to.scales[0])});
  codes = op.add(codes, double(to.zero_points[0]));
  codes = op.max(codes, op.number(codes, std::numeric_limits<int32_t>::min()));
  codes = op.min(codes, op.number(codes, std::numeric_limits<int32_t>::max()));
  cast(op, codes, op.output());
}

// From INT32 to floats, or to codes of 8 or 16 bits.
void dequantize_int32(Operator& op) {
  const TensorId values = op.mul(steps_of(op), op.input_slot(0).integers.scales[0]);
  if (op.output_tensor().type == OH_NN_FLOAT32) {
    cast(op, values, op.output());
  } else {
    op.build().store(op.cast(values, DType::f32), op.output());
  }
}

void dequantize(Operator& op) {
  const Tensor from = op.input_tensor(0);
  if ((from.data || is_quantized_wide(from)) && !op.output_slot().is_output) {
    op.replace(op.build().dequantize(op.input(0), op.input_slot(0).quantized_dimension));
  } else if (from.type == OH_NN_FLOAT16) {
    cast(op, op.input(0), op.output());
  } else if (is_quantized_wide(from)) {
    op.build().dequantize_wide(op.input(0), op.output());
  } else if (is_quantized(from)) {
    op.build().cast_quantized(op.input(0), op.output(), op.input_slot(0).quantized_dimension);
  } else if (!op.input_slot(0).integers.empty()) {
    return dequantize_int32(op);
  } else {
    op.refuse("needs an operand that is quantized");
  }
}

void quantize(Operator& op) {
  const Tensor from = op.input_tensor(0), to = op.output_tensor();
  if (!op.output_slot().integers.empty()) return quantize_to_int32(op);
  if (!is_quantized(to)) op.refuse("needs a result that is quantized");
  if (!op.input_slot(0).integers.empty()) return dequantize_int32(op);
  if (from.quantization == to.quantization && from.type == to.type && !op.output_slot().is_output) {
    return op.replace(op.input(0));
  }
  TensorId x = op.operand(0);
  if (is_quantized_wide(from) || is_quantized_wide(to)) {
    x = op.build().dequantize(op.input(0), op.input_slot(0).quantized_dimension);
    op.build().store(x, op.output());
  } else {
    op.build().cast_quantized(x, op.output(), op.output_slot().quantized_dimension);
  }
}

// The tensor reader already filled in the zeros of the sparse constant.
void densify(Operator& op) {
  if (!op.build().is_constant(op.input(0))) op.refuse("needs a constant");
  op.deliver(op.input_slot(0));
}

void write_cast(NodeWriter& node) { node.write_cast(node.inputs[0], node.outputs[0]); }

// Bytes without a coding are those of the other tensor, moved by 128: UINT8 beside INT8.
void recenter(format::TensorT& bytes, const format::TensorT& other) {
  if (bytes.type != format::TensorType::UINT8 || bytes.quantization || !other.quantization) return;
  bytes.quantization = std::make_unique<format::QuantizationParametersT>();
  bytes.quantization->scale = other.quantization->scale;
  for (const int64_t zero_point : other.quantization->zero_point)
    bytes.quantization->zero_point.push_back(zero_point + 128);
}

void write_quant_cast(NodeWriter& node) {
  format::TensorT &from = node.tensor(node.inputs[0]), &to = node.tensor(node.outputs[0]);
  recenter(from, to);
  recenter(to, from);
  for (const Attr attr : {Attr::source_type, Attr::target_type}) node.use(attr);  // those of the tensors
  const auto axis = node.option(Attr::axis);
  for (const format::TensorT* it : {&from, &to})
    if (it->quantization) it->quantization->quantized_dimension = axis;
  node.write(to.quantization == nullptr ? DEQUANTIZE : QUANTIZE, node.inputs, node.outputs);
}

constexpr Row kConvertRows[] = {
    {CAST, 1, 1, Numbers::any, cast, Op::cast, write_cast},
    {DEQUANTIZE, 1, 1, Numbers::any, dequantize, Op::quant_dtype_cast},
    {DENSIFY, 1, 1, Numbers::any, densify},
    {QUANTIZE, 1, 1, Numbers::any, quantize, Op::quant_dtype_cast, write_quant_cast},
};

}  // namespace

std::span<const Row> convert_rows() { return kConvertRows; }

}  // namespace nnrt::import::tflite
