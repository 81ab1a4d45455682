// Dtype conversions.
#include "tools/import/tflite/tflite_operators.h"

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

void cast(Operator& op, TensorId from, TensorId to) {
  op.build().operation(OH_NN_OPS_CAST, {from, op.build().scalar<int32_t>(op.build().tensor(to).type)}, {to});
}

// CAST reads stored values. Those of a former UINT8 tensor are 128 lower than in the file.
Status cast(Operator& op) {
  const TensorId target = op.output();
  TensorId from = op.input(0);
  if (op.output_slot().is_shifted) return op.refuse("makes a quantized UINT8 tensor of numbers");
  if (op.input_slot(0).is_shifted) {
    const TensorId code = op.build().temporary(OH_NN_INT32, op.input_tensor(0).shape);
    cast(op, from, code);
    from = op.derive(OH_NN_OPS_ADD, {code, op.build().scalar<int32_t>(128)}, code);
  }
  cast(op, from, target);
  return {};
}

Status dequantize(Operator& op) {
  const Tensor from = op.input_tensor(0);
  if ((from.data || is_quantized_wide(from)) && !op.output_slot().is_output) {
    NNRT_ASSIGN(const TensorId floats,
                op.build().dequantize(op.input(0), op.input_slot(0).quantized_dimension));
    op.replace(floats);
  } else if (from.type == OH_NN_FLOAT16) {
    cast(op, op.input(0), op.output());
  } else if (is_quantized_wide(from)) {
    op.build().dequantize_wide(op.input(0), op.output());
  } else if (is_quantized(from)) {
    op.build().cast_quantized(op.input(0), op.output());
  } else {
    return op.refuse("needs an operand that is quantized to 8 bits");
  }
  return {};
}

Status quantize(Operator& op) {
  const Tensor from = op.input_tensor(0), to = op.output_tensor();
  if (!is_quantized(to)) return op.refuse("needs a result that is quantized to 8 bits");
  if (from.quantization == to.quantization && from.type == to.type && !op.output_slot().is_output) {
    op.replace(op.input(0));
    return {};
  }
  NNRT_ASSIGN(TensorId x, op.operand(0));
  if (is_quantized_wide(from) || is_quantized_wide(to)) {
    NNRT_ASSIGN(x, op.build().dequantize(op.input(0), op.input_slot(0).quantized_dimension));
    op.build().store(x, op.output());
  } else {
    op.build().cast_quantized(x, op.output());
  }
  return {};
}

// The tensor reader already filled in the zeros of the sparse constant.
Status densify(Operator& op) {
  if (!op.build().is_constant(op.input(0))) return op.refuse("needs a constant");
  op.deliver(op.input_slot(0));
  return {};
}

constexpr Row kConvertRows[] = {
    {CAST, 1, 1, Numbers::any, cast, OH_NN_OPS_CAST},
    {DEQUANTIZE, 1, 1, Numbers::any, dequantize, OH_NN_OPS_QUANT_DTYPE_CAST},
    {DENSIFY, 1, 1, Numbers::any, densify},
    {QUANTIZE, 1, 1, Numbers::any, quantize, OH_NN_OPS_QUANT_DTYPE_CAST},
};

}  // namespace

std::span<const Row> convert_rows() { return kConvertRows; }

}  // namespace nnrt::import::tflite
