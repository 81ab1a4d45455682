// Operators with two or more inputs, element by element.
#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {
namespace {

std::vector<Parameter> fused_activation(Call& call) {
  switch (call.row().operation) {
    case OH_NN_OPS_ADD: return {call.take_activation(OH_NN_ADD_ACTIVATIONTYPE)};
    case OH_NN_OPS_SUB: return {call.take_activation(OH_NN_SUB_ACTIVATIONTYPE)};
    case OH_NN_OPS_MUL: return {call.take_activation(OH_NN_MUL_ACTIVATION_TYPE)};
    case OH_NN_OPS_DIV: return {call.take_activation(OH_NN_DIV_ACTIVATIONTYPE)};
    default: return {};
  }
}

Result<Ids> binary(Call& call) {
  NNRT_ASSIGN(const TensorId a, call.input(0));
  NNRT_ASSIGN(const TensorId b, call.second_operand());
  return single(call.emit(call.row().operation, {a, b}, fused_activation(call)));
}

Result<Ids> where(Call& call) {
  NNRT_ASSIGN(Ids inputs, call.all_inputs());
  return single(call.emit(OH_NN_OPS_WHERE, inputs));
}

// Max, Min, Sum, Mean: two at a time.
Result<TensorId> folded(Call& call) {
  NNRT_ASSIGN(const Ids inputs, call.all_inputs());
  if (inputs.empty()) return damaged("Input 0 is absent.");
  TensorId result = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) {
    NNRT_ASSIGN(result, call.emit(call.row().operation, {result, inputs[i]}));
  }
  return result;
}

Result<Ids> variadic(Call& call) { return single(folded(call)); }

Result<Ids> mean(Call& call) {
  NNRT_ASSIGN(const TensorId sum, folded(call));
  const double part = 1.0 / static_cast<double>(call.input_count());
  return single(call.emit(OH_NN_OPS_MUL, {sum, call.number_like(sum, part)}));
}

bool is_unsigned(DType dtype) {
  return dtype == DType::u8 || dtype == DType::u16 || dtype == DType::u32 || dtype == DType::u64;
}

// The result has the sign of the divisor, unless fmod asks for C's rule, which is MOD's.
Result<Ids> mod(Call& call) {
  NNRT_ASSIGN(const TensorId a, call.input(0));
  NNRT_ASSIGN(const TensorId b, call.input(1));
  NNRT_ASSIGN(const TensorId rest, call.emit(OH_NN_OPS_MOD, {a, b}));
  if (call.attributes.integer("fmod", 0) != 0 || is_unsigned(call.emitter().dtype(a))) return Ids{rest};
  NNRT_ASSIGN(const TensorId sum, call.emit(OH_NN_OPS_ADD, {rest, b}));
  return single(call.emit(OH_NN_OPS_MOD, {sum, b}));
}

// A constant exponent of one element.
Result<std::optional<TensorId>> simple_power(Call& call, TensorId base, TensorId exponent) {
  const auto numbers = call.emitter().known_numbers(exponent);
  const DType dtype = call.emitter().dtype(base);
  if (!numbers || numbers->size() != 1 || call.rank(exponent) > call.rank(base))
    return std::optional<TensorId>();
  if (!kFloat.contains(dtype)) return std::optional<TensorId>();
  const double power = numbers->at(0);
  if (power != 2 && power != 0.5) return std::optional<TensorId>();
  NNRT_ASSIGN(const TensorId result, call.emit(power == 2 ? OH_NN_OPS_SQUARE : OH_NN_OPS_SQRT, {base}));
  return std::optional(result);
}

// POW is one of floats; the result has the base's type.
Result<Ids> pow(Call& call) {
  NNRT_ASSIGN(TensorId base, call.input(0));
  NNRT_ASSIGN(TensorId exponent, call.second_operand());
  NNRT_ASSIGN(const std::optional<TensorId> simple, simple_power(call, base, exponent));
  if (simple) return Ids{*simple};
  const DType dtype = call.emitter().dtype(base);
  const DType computed = kFloat.contains(dtype) ? dtype : DType::f32;
  NNRT_ASSIGN(base, call.cast(base, computed));
  NNRT_ASSIGN(exponent, call.cast(exponent, computed));
  NNRT_ASSIGN(const TensorId power, call.emit(OH_NN_OPS_POW, {base, exponent}));
  return single(call.cast(power, dtype));
}

Result<Ids> bit_shift(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(const TensorId by, call.input(1));
  const std::string direction = call.attributes.text("direction");
  if (direction != "LEFT" && direction != "RIGHT")
    return damaged("The direction (", direction, ") is neither LEFT nor RIGHT.");
  return single(call.emit(OH_NN_OPS_BIT_SHIFT, {x, by},
                          {int8_parameter(extension(OH_NN_BIT_SHIFT_DIRECTION), direction == "RIGHT")}));
}

}  // namespace

std::vector<Row> binary_rows() {
  return {
      {"Add", binary, OH_NN_OPS_ADD, 2, true},
      {"And", binary, OH_NN_OPS_LOGICAL_AND},
      {"BitShift", bit_shift},
      {"BitwiseAnd", binary, extension(OH_NN_OPS_BITWISE_AND)},
      {"BitwiseOr", binary, extension(OH_NN_OPS_BITWISE_OR)},
      {"BitwiseXor", binary, extension(OH_NN_OPS_BITWISE_XOR)},
      {"Div", binary, OH_NN_OPS_DIV, kNoQuantizedInputs, true},
      {"Equal", binary, OH_NN_OPS_EQUAL},
      {"Greater", binary, OH_NN_OPS_GREATER},
      {"GreaterOrEqual", binary, OH_NN_OPS_GREATER_EQUAL},
      {"Less", binary, OH_NN_OPS_LESS},
      {"LessOrEqual", binary, OH_NN_OPS_LESS_EQUAL},
      {"Max", variadic, OH_NN_OPS_MAXIMUM, kAllInputsQuantized},
      {"Mean", mean, OH_NN_OPS_ADD},
      {"Min", variadic, OH_NN_OPS_MINIMUM, kAllInputsQuantized},
      {"Mod", mod},
      {"Mul", binary, OH_NN_OPS_MUL, 2, true},
      {"Or", binary, OH_NN_OPS_LOGICAL_OR},
      {"Pow", pow},
      {"Sub", binary, OH_NN_OPS_SUB, 2, true},
      {"Sum", variadic, OH_NN_OPS_ADD},
      {"Where", where},
      {"Xor", binary, OH_NN_OPS_NOT_EQUAL},
  };
}

}  // namespace nnrt::import::onnx
