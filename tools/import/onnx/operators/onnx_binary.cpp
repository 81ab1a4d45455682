// Elementwise operators with two or more inputs.
#include "tools/import/onnx/onnx_formula.h"

#include <algorithm>
#include <cmath>

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

// Max, Min, Sum, Mean: folded pairwise.
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

// The result has the divisor's sign, unless fmod selects C semantics, which MOD has. A remainder of the other
// sign is shifted by one divisor, which cannot overflow.
Result<Ids> mod(Call& call) {
  Formula f(call);
  const TensorId a = f.input(0), b = f.input(1);
  const TensorId rest = f.emit(OH_NN_OPS_MOD, {a, b});
  if (call.attributes.integer("fmod", 0) != 0 || is_unsigned(f.dtype(a))) return Ids{rest};
  const TensorId differ = f.emit(OH_NN_OPS_NOT_EQUAL, {f.less(rest, 0.0), f.less(b, 0.0)});
  const TensorId remains = f.emit(OH_NN_OPS_NOT_EQUAL, {rest, f.number(rest, 0)});
  return Ids{f.where(f.emit(OH_NN_OPS_LOGICAL_AND, {differ, remains}), f.add(rest, b), rest)};
}

// Constant scalar exponents.
Result<std::optional<TensorId>> simple_power(Call& call, TensorId base, TensorId exponent) {
  const auto numbers = call.emitter().known_numbers(exponent);
  const DType dtype = call.emitter().dtype(base);
  if (!numbers || numbers->size() != 1 || call.rank(exponent) > call.rank(base))
    return std::optional<TensorId>();
  if (!kFloat.contains(dtype)) return std::optional<TensorId>();
  if (numbers->at(0) != 2) return std::optional<TensorId>();
  NNRT_ASSIGN(const TensorId result, call.emit(OH_NN_OPS_SQUARE, {base}));
  return std::optional(result);
}

// Returns whether every exponent is exact in FLOAT32.
bool is_exact_in_f32(Call& call, TensorId exponent) {
  const DType dtype = call.emitter().dtype(exponent);
  if (dtype != DType::i32 && dtype != DType::i64 && dtype != DType::f64) return true;
  const auto numbers = call.emitter().known_numbers(exponent);
  constexpr double kLargest = 1 << 24;
  return numbers && std::ranges::all_of(*numbers, [&](double number) {
           return dtype == DType::f64 ? number == double(float(number)) : std::fabs(number) <= kLargest;
         });
}

// The dtype for computing a power. Two integers are exact; otherwise integers of 32 or more bits need
// FLOAT64.
DType type_of_power(Call& call, TensorId base, TensorId exponent) {
  const DType x = call.emitter().dtype(base), y = call.emitter().dtype(exponent);
  const bool is_wide = (kIndex | DType::u64).contains(x);
  if (!is_float(x) && !is_float(y)) return is_wide && x == y ? x : DType::i64;
  if (x == DType::f16 && y == DType::f16) return DType::f16;
  const bool wide = x == DType::f64 || is_wide || !is_exact_in_f32(call, exponent);
  return wide ? DType::f64 : DType::f32;
}

// The result has the base's dtype.
Result<Ids> pow(Call& call) {
  NNRT_ASSIGN(TensorId base, call.input(0));
  NNRT_ASSIGN(TensorId exponent, call.second_operand());
  NNRT_ASSIGN(const std::optional<TensorId> simple, simple_power(call, base, exponent));
  if (simple) return Ids{*simple};
  const DType dtype = call.emitter().dtype(base);
  const DType computed = type_of_power(call, base, exponent);
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
