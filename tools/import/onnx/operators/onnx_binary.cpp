// Elementwise operators with two or more inputs.
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>
#include <cmath>

namespace nnrt::import::onnx {
namespace {

Ids binary(Call& call) {
  const TensorId a = call.input(0), b = call.second_operand();
  return {call.emit(call.row().operation, {a, b},
                    call.row().activates ? Settings{call.take_activation()} : Settings())};
}

Ids where(Call& call) { return {call.emit(Op::where, call.all_inputs())}; }

// Max, Min, Sum, Mean: folded pairwise.
TensorId folded(Call& call) {
  const Ids inputs = call.all_inputs();
  if (inputs.empty()) fail(damaged("Input 0 is absent."));
  TensorId result = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) result = call.emit(call.row().operation, {result, inputs[i]});
  return result;
}

Ids variadic(Call& call) { return {folded(call)}; }

Ids mean(Call& call) { return {call.mul(folded(call), 1.0 / static_cast<double>(call.input_count()))}; }

bool is_unsigned(DType dtype) {
  return dtype == DType::u8 || dtype == DType::u16 || dtype == DType::u32 || dtype == DType::u64;
}

// The result has the divisor's sign, unless fmod selects C semantics, which MOD has. A remainder of the other
// sign is shifted by one divisor, which cannot overflow.
Ids mod(Call& call) {
  const TensorId a = call.input(0), b = call.input(1);
  const TensorId rest = call.emit(Op::mod, {a, b});
  if (call.attributes.flag("fmod") || is_unsigned(call.dtype(a))) return {rest};
  return {call.where(call.is_above_floor(rest, b), call.add(rest, b), rest)};
}

// Returns whether every exponent is exact in FLOAT32.
bool is_exact_in_f32(Call& call, TensorId exponent) {
  const DType dtype = call.dtype(exponent);
  if (dtype != DType::i32 && dtype != DType::i64 && dtype != DType::f64) return true;
  const auto numbers = call.known_numbers(exponent);
  constexpr double kLargest = 1 << 24;
  return numbers && std::ranges::all_of(*numbers, [&](double number) {
           return dtype == DType::f64 ? number == double(float(number)) : std::fabs(number) <= kLargest;
         });
}

// The dtype for computing a power. Two integers are exact; otherwise integers of 32 or more bits need
// FLOAT64.
DType type_of_power(Call& call, TensorId base, TensorId exponent) {
  const DType x = call.dtype(base), y = call.dtype(exponent);
  const bool is_wide = (kIndex | DType::u64).contains(x);
  if (!is_float(x) && !is_float(y)) return is_wide && x == y ? x : DType::i64;
  if (x == DType::f16 && y == DType::f16) return DType::f16;
  const bool wide = x == DType::f64 || is_wide || !is_exact_in_f32(call, exponent);
  return wide ? DType::f64 : DType::f32;
}

// The result has the base's dtype.
Ids pow(Call& call) {
  const TensorId base = call.input(0), exponent = call.second_operand();
  const DType dtype = call.dtype(base), computed = type_of_power(call, base, exponent);
  if (call.known_number(exponent) == 2.0 && call.rank(exponent) <= call.rank(base) && kFloat.contains(dtype))
    return {call.square(base)};
  const TensorId power = call.emit(Op::pow, {call.cast(base, computed), call.cast(exponent, computed)});
  return {call.cast(power, dtype)};
}

Ids bit_shift(Call& call) {
  const TensorId x = call.input(0), by = call.input(1);
  const std::string direction = call.attributes.text("direction");
  if (direction != "LEFT" && direction != "RIGHT")
    fail(damaged("The direction (", direction, ") is neither LEFT nor RIGHT."));
  return {call.emit(Op::bit_shift, {x, by}, {{Attr::direction, direction == "RIGHT"}})};
}

}  // namespace

std::vector<Row> binary_rows() {
  return {
      {"Add", binary, Op::add, 2, true},
      {"And", binary, Op::logical_and},
      {"BitShift", bit_shift},
      {"BitwiseAnd", binary, Op::bitwise_and},
      {"BitwiseOr", binary, Op::bitwise_or},
      {"BitwiseXor", binary, Op::bitwise_xor},
      {"Div", binary, Op::div, kNoQuantizedInputs, true},
      {"Equal", binary, Op::equal},
      {"Greater", binary, Op::greater},
      {"GreaterOrEqual", binary, Op::greater_equal},
      {"Less", binary, Op::less},
      {"LessOrEqual", binary, Op::less_equal},
      {"Max", variadic, Op::maximum, kAllInputsQuantized},
      {"Mean", mean, Op::add},
      {"Min", variadic, Op::minimum, kAllInputsQuantized},
      {"Mod", mod},
      {"Mul", binary, Op::mul, 2, true},
      {"Or", binary, Op::logical_or},
      {"Pow", pow},
      {"Sub", binary, Op::sub, 2, true},
      {"Sum", variadic, Op::add},
      {"Where", where},
      {"Xor", binary, Op::not_equal},
  };
}

}  // namespace nnrt::import::onnx
