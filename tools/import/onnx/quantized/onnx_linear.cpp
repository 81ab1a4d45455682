#include "tools/import/onnx/quantized/onnx_linear.h"

#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/onnx/onnx_narrow_float.h"

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

}  // namespace

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

const NarrowFloat* narrow_code_of(Call& call) {
  if (call.has(kZeroPoint)) return call.value(kZeroPoint).narrow;
  return narrow_float(static_cast<int32_t>(call.attributes.integer("output_dtype", 0)));
}

// Zero points of FLOAT8 are 0.
Ids quantize_to_narrow(Call& call, const NarrowFloat& type) {
  const TensorId x = call.cast(call.input(0), DType::f32);
  const TensorId steps = call.div(x, parameters_of(call, x, DType::f32).scale);
  const TensorId made = rounded_to(call, steps, type, call.attributes.flag("saturate", true));
  call.result = Value{.plain = made, .narrow = &type};
  return {made};
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

DType real_type_of(Call& call) {
  const auto given = static_cast<int32_t>(call.attributes.integer("output_dtype", 0));
  if (given != 0) return required(stored_dtype_of(given));
  return call.dtype(call.plain_input(kScale));
}

}  // namespace nnrt::import::onnx
