#include "tools/import/onnx/quantized/onnx_linear.h"

#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/onnx/onnx_formula.h"
#include "tools/import/onnx/onnx_narrow_float.h"

namespace nnrt::import::onnx {
namespace {

constexpr size_t kScale = 1, kZeroPoint = 2;

// Reshapes a scale or zero point to broadcast to x: per tensor, per index of the axis, or per block along it.
TensorId beside(Formula& f, TensorId parameter, TensorId x, int64_t axis, int64_t block) {
  const Dims shape = f.shape(parameter);
  if (shape.empty() || (block == 0 && nnrt::element_count(shape) == 1)) return parameter;
  if (block == 0) {
    List<int64_t> behind;
    for (int64_t d = axis + 1; d < f.rank(x); ++d) behind.push_back(d - axis);
    return f.unsqueeze(parameter, behind);
  }
  if (f.rank(parameter) != f.rank(x) || !is_static(shape))
    f.fail(unsupported("Blocks of ", to_string(f.shape(x)), " with parameters of shape ", to_string(shape),
                       " are not supported."));
  const auto at = static_cast<size_t>(axis);
  Dims each = shape, whole = shape;
  each.insert_at(at + 1, block);
  whole[at] *= block;
  const TensorId repeated = f.broadcast(f.unsqueeze(parameter, {axis + 1}), each);
  return f.slice(f.reshape(repeated, whole), axis, 0, f.length(x, axis));
}

struct Parameters {
  TensorId scale = 0;  // FLOAT32
  std::optional<TensorId> zero{};
};

Parameters parameters_of(Formula& f, TensorId x, DType zero_type) {
  Call& call = f.call();
  const int64_t block = call.attributes.count("block_size", 0);
  Parameters parameters;
  const TensorId scale = f.input(kScale);
  const bool has_axis = f.rank(scale) > 0 && nnrt::element_count(f.shape(scale)) != 1;
  int64_t axis = 0;
  if (block < 0) f.fail(damaged("The block size (", block, ") is below 0."));
  if (has_axis || block > 0) axis = f.axis(call.attributes.integer("axis", 1), x);
  parameters.scale = beside(f, f.cast(scale, DType::f32), x, axis, block);
  if (call.has(kZeroPoint)) {
    const TensorId zero = f.cast(f.input(kZeroPoint), zero_type);
    parameters.zero = beside(f, zero, x, axis, block);
  }
  return parameters;
}

}  // namespace

Result<Ids> quantize_by_formula(Call& call, const CodeType& type) {
  constexpr DTypeSet kStored{DType::i8, DType::u8, DType::i16, DType::u16};
  if (!kStored.contains(type.dtype))
    return unsupported("Quantized values of type ", name(type.dtype), " are not supported.");
  Formula f(call);
  const TensorId x = f.cast(f.input(0), DType::f32);
  const Parameters parameters = parameters_of(f, x, DType::f32);
  TensorId steps = f.round(f.div(x, parameters.scale));
  if (parameters.zero) steps = f.add(steps, *parameters.zero);
  steps = f.clip(steps, static_cast<double>(type.low()), static_cast<double>(type.high()));
  const TensorId made = f.cast(steps, type.dtype);
  call.result = Value{.plain = made, .bits = type.bits};
  return Ids{made};
}

const NarrowFloat* narrow_code_of(Call& call) {
  if (call.has(kZeroPoint)) return call.value(kZeroPoint).narrow;
  return narrow_float(static_cast<int32_t>(call.attributes.integer("output_dtype", 0)));
}

// Zero points of FLOAT8 are 0.
Result<Ids> quantize_to_narrow(Call& call, const NarrowFloat& type) {
  Formula f(call);
  const TensorId x = f.cast(f.input(0), DType::f32);
  const TensorId steps = f.div(x, parameters_of(f, x, DType::f32).scale);
  NNRT_ASSIGN(const TensorId made,
              rounded_to(call, steps, type, call.attributes.integer("saturate", 1) != 0));
  call.result = Value{.plain = made, .narrow = &type};
  return Ids{made};
}

Result<Ids> dequantize_by_formula(Call& call) {
  constexpr DTypeSet kStored{DType::i8, DType::u8, DType::i16, DType::u16, DType::i32};
  Formula f(call);
  const TensorId x = f.input(0);
  const bool is_narrow = call.value(0).narrow != nullptr;
  if (!is_narrow && !kStored.contains(f.dtype(x)))
    return unsupported("Quantized values of type ", name(f.dtype(x)), " are not supported.");
  const Parameters parameters = parameters_of(f, x, DType::i32);
  TensorId steps = is_narrow ? x : f.cast(x, DType::i32);
  if (parameters.zero && !is_narrow) steps = f.sub(steps, *parameters.zero);
  const TensorId real = f.mul(f.cast(steps, DType::f32), parameters.scale);
  NNRT_ASSIGN(const DType dtype, real_type_of(call));
  return Ids{f.cast(real, dtype)};
}

Result<DType> real_type_of(Call& call) {
  const auto given = static_cast<int32_t>(call.attributes.integer("output_dtype", 0));
  if (given != 0) return stored_dtype_of(given);
  NNRT_ASSIGN(const TensorId scale, call.plain_input(kScale));
  return call.emitter().dtype(scale);
}

}  // namespace nnrt::import::onnx
