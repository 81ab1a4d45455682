// Unary operators that map to one operation, and no-ops.
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/onnx/onnx_narrow_float.h"

#include <charconv>
#include <limits>

namespace nnrt::import::onnx {
namespace {

Ids unary(Call& call) { return {call.emit(call.row().operation, {call.input(0)})}; }

Ids identity(Call& call) {
  const auto& elements = call.value(0).elements;
  if (!elements) return {call.input(0)};
  call.sequences.emplace(0, *elements);
  return {};
}

// The mask of a Dropout that drops nothing.
Ids dropout(Call& call) {
  const TensorId x = call.input(0);
  if (call.has(2)) {
    const List<int64_t> training = call.integers(2);
    const List<double> ratio = call.has(1) ? call.numbers(1) : List<double>{0.5};
    const bool drops = ratio.empty() || ratio[0] != 0;
    if (!training.empty() && training[0] != 0 && drops) fail(unsupported("Training mode is not supported."));
  }
  if (!call.wants(1)) return {x};
  return {x, call.filled(DType::boolean, call.shape(x), 1)};
}

// The data type that the attribute gives, as a number or in old files by its name.
int32_t target_type(Call& call) {
  constexpr int64_t kMaxType = 1000;
  const int64_t code = call.attributes.integer("to", 0);
  if (code < 0 || code > kMaxType) fail(damaged("The data type (", code, ") does not exist."));
  return static_cast<int32_t>(code);
}

template <typename Number>
Number spelled(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  fail(damaged("The string (", text, ") is not a number of the type that it is cast to."));
}

// The numbers that constant strings spell.
TensorId numbers_of_strings(Call& call, TensorId strings, DType to) {
  const auto known = call.known_integers(strings);
  if (!known) fail(unsupported("A cast of strings that only a run chooses is not supported."));
  const Dims shape = call.shape(strings);
  List<int64_t> integers;
  List<double> reals;
  for (const int64_t number : *known) {
    const std::string& text = call.strings->text(number);
    if (is_float(to)) {
      reals.push_back(spelled<double>(text));
    } else {
      integers.push_back(spelled<int64_t>(text));
    }
  }
  return is_float(to) ? call.constant(to, shape, reals)
                      : call.cast(call.reshape(call.vector(integers), shape), to);
}

// BFLOAT16 and FLOAT8 are rounded to, and stored as FLOAT32.
Ids cast(Call& call) {
  TensorId x = call.plain_input(0);
  DType to = DType::f32;
  const NarrowFloat* narrow = nullptr;
  if (call.type() == "CastLike") {
    const TensorId like = call.plain_input(1);
    if (call.strings->is_marked(like)) fail(unsupported("Casts to STRING are not supported."));
    to = call.dtype(like);
    narrow = call.value(1).narrow;
  } else if (const std::string name = call.attributes.text("to"); !name.empty()) {
    to = required(dtype_of(name));
  } else {
    const int32_t code = target_type(call);
    to = required(stored_dtype_of(code));
    narrow = narrow_float(code);
  }
  if (call.strings->is_marked(x)) x = numbers_of_strings(call, x, to);
  const bool is_rounded = narrow != nullptr && call.value(0).narrow != narrow;
  const bool saturate = narrow != nullptr && narrow->size() == 1 && call.attributes.flag("saturate", true);
  const TensorId made = is_rounded ? rounded_to(call, x, *narrow, saturate) : call.cast(x, to);
  call.result = Value{.plain = made, .narrow = narrow};
  return {made};
}

// Only NaN differs from itself.
Ids is_nan(Call& call) {
  const TensorId x = call.input(0);
  return {call.emit(Op::not_equal, {x, x})};
}

Ids is_infinite(Call& call) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const TensorId x = call.input(0);
  const bool positive = call.attributes.flag("detect_positive", true);
  const bool negative = call.attributes.flag("detect_negative", true);
  if (!positive && !negative) return {call.less(x, x)};  // never true
  if (positive != negative) return {call.equal(x, positive ? kInfinity : -kInfinity)};
  if (kFloat.contains(call.dtype(x))) return {call.equal(call.abs(x), kInfinity)};
  // ABS does not support FLOAT64.
  const TensorId above = call.equal(x, kInfinity);
  return {call.either(above, call.equal(x, -kInfinity))};
}

}  // namespace

std::vector<Row> unary_rows() {
  return {
      {"Abs", unary, Op::abs},
      {"BitwiseNot", unary, Op::bitwise_not},
      {"Cast", cast},
      {"CastLike", cast},
      {"Ceil", unary, Op::ceil},
      {"Cos", unary, Op::cos},
      {"Dropout", dropout},
      {"Erf", unary, Op::erf},
      {"Exp", unary, Op::exp},
      {"Floor", unary, Op::floor},
      {"HardSwish", unary, Op::hswish, 1},
      {"Identity", identity, {}, 1},
      {"IsInf", is_infinite},
      {"IsNaN", is_nan},
      {"Log", unary, Op::log},
      {"Neg", unary, Op::neg},
      {"Not", unary, Op::logical_not},
      {"Reciprocal", unary, Op::reciprocal},
      {"Relu", unary, Op::relu, 1},
      {"Round", unary, Op::round_half_even},
      {"Sigmoid", unary, Op::sigmoid, 1},
      {"Sign", unary, Op::sign},
      {"Sin", unary, Op::sin},
      {"Sqrt", unary, Op::sqrt},
      {"Tanh", unary, Op::tanh, 1},
  };
}

}  // namespace nnrt::import::onnx
