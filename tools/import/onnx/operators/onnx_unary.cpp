// Unary operators that map to one operation, and no-ops.
#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/onnx/onnx_formula.h"
#include "tools/import/onnx/onnx_narrow_float.h"

#include <charconv>
#include <limits>

namespace nnrt::import::onnx {
namespace {

Result<Ids> unary(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  return single(call.emit(call.row().operation, {x}));
}

Result<Ids> identity(Call& call) {
  const auto& elements = call.value(0).elements;
  if (!elements) return single(call.input(0));
  call.sequences.emplace(0, *elements);
  return Ids{};
}

// The mask of a Dropout that drops nothing.
Result<Ids> dropout(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  if (call.has(2)) {
    NNRT_ASSIGN(const List<int64_t> training, call.integers(2));
    const List<double> half{0.5};
    NNRT_ASSIGN(const List<double> ratio, call.has(1) ? call.numbers(1) : half);
    const bool drops = ratio.empty() || ratio[0] != 0;
    if (!training.empty() && training[0] != 0 && drops) return unsupported("Training mode is not supported.");
  }
  if (!call.wants(1)) return Ids{x};
  NNRT_ASSIGN(const TensorId mask, call.emitter().filled(DType::boolean, call.shape(x), 1));
  return Ids{x, mask};
}

// The data type that the attribute gives, as a number or in old files by its name.
Result<int32_t> target_type(Call& call) {
  constexpr int64_t kMaxType = 1000;
  const int64_t code = call.attributes.integer("to", 0);
  if (code < 0 || code > kMaxType) return damaged("The data type (", code, ") does not exist.");
  return static_cast<int32_t>(code);
}

template <typename Number>
Result<Number> spelled(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return damaged("The string (", text, ") is not a number of the type that it is cast to.");
}

// The numbers that constant strings spell.
Result<TensorId> numbers_of_strings(Call& call, TensorId strings, DType to) {
  const auto known = call.emitter().known_integers(strings);
  if (!known) return unsupported("A cast of strings that only a run chooses is not supported.");
  const Dims shape = call.shape(strings);
  List<int64_t> integers;
  List<double> reals;
  for (const int64_t number : *known) {
    const std::string& text = call.strings->text(number);
    if (is_float(to)) {
      NNRT_ASSIGN(reals.emplace_back(), spelled<double>(text));
    } else {
      NNRT_ASSIGN(integers.emplace_back(), spelled<int64_t>(text));
    }
  }
  Formula f(call);
  return is_float(to) ? f.constant(to, shape, reals) : f.cast(f.reshape(f.integers(integers), shape), to);
}

// BFLOAT16 and FLOAT8 are rounded to, and stored as FLOAT32.
Result<Ids> cast(Call& call) {
  NNRT_ASSIGN(TensorId x, call.plain_input(0));
  DType to = DType::f32;
  const NarrowFloat* narrow = nullptr;
  if (call.type() == "CastLike") {
    NNRT_ASSIGN(const TensorId like, call.plain_input(1));
    if (call.strings->is_marked(like)) return unsupported("Casts to STRING are not supported.");
    to = call.emitter().dtype(like);
    narrow = call.value(1).narrow;
  } else if (const std::string name = call.attributes.text("to"); !name.empty()) {
    NNRT_ASSIGN(to, dtype_of(name));
  } else {
    NNRT_ASSIGN(const int32_t code, target_type(call));
    NNRT_ASSIGN(to, stored_dtype_of(code));
    narrow = narrow_float(code);
  }
  if (call.strings->is_marked(x)) {
    NNRT_ASSIGN(x, numbers_of_strings(call, x, to));
  }
  const bool is_rounded = narrow != nullptr && call.value(0).narrow != narrow;
  const bool saturate =
      narrow != nullptr && narrow->size() == 1 && call.attributes.integer("saturate", 1) != 0;
  NNRT_ASSIGN(const TensorId made, is_rounded ? rounded_to(call, x, *narrow, saturate) : call.cast(x, to));
  call.result = Value{.plain = made, .narrow = narrow};
  return Ids{made};
}

// Only NaN differs from itself.
Result<Ids> is_nan(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  return single(call.emit(OH_NN_OPS_NOT_EQUAL, {x, x}));
}

Result<Ids> is_infinite(Call& call) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  NNRT_ASSIGN(const TensorId x, call.input(0));
  const bool positive = call.attributes.integer("detect_positive", 1) != 0;
  const bool negative = call.attributes.integer("detect_negative", 1) != 0;
  if (!positive && !negative) return single(call.emit(OH_NN_OPS_LESS, {x, x}));  // never true
  if (positive != negative)
    return single(call.emit(OH_NN_OPS_EQUAL, {x, call.number_like(x, positive ? kInfinity : -kInfinity)}));
  if (kFloat.contains(call.emitter().dtype(x))) {
    NNRT_ASSIGN(const TensorId size, call.emit(OH_NN_OPS_ABS, {x}));
    return single(call.emit(OH_NN_OPS_EQUAL, {size, call.number_like(x, kInfinity)}));
  }
  // ABS does not support FLOAT64.
  NNRT_ASSIGN(const TensorId above, call.emit(OH_NN_OPS_EQUAL, {x, call.number_like(x, kInfinity)}));
  NNRT_ASSIGN(const TensorId below, call.emit(OH_NN_OPS_EQUAL, {x, call.number_like(x, -kInfinity)}));
  return single(call.emit(OH_NN_OPS_LOGICAL_OR, {above, below}));
}

}  // namespace

std::vector<Row> unary_rows() {
  return {
      {"Abs", unary, OH_NN_OPS_ABS},
      {"BitwiseNot", unary, extension(OH_NN_OPS_BITWISE_NOT)},
      {"Cast", cast},
      {"CastLike", cast},
      {"Ceil", unary, OH_NN_OPS_CEIL},
      {"Cos", unary, OH_NN_OPS_COS},
      {"Dropout", dropout},
      {"Erf", unary, OH_NN_OPS_ERF},
      {"Exp", unary, OH_NN_OPS_EXP},
      {"Floor", unary, OH_NN_OPS_FLOOR},
      {"HardSwish", unary, OH_NN_OPS_HSWISH, 1},
      {"Identity", identity, {}, 1},
      {"IsInf", is_infinite},
      {"IsNaN", is_nan},
      {"Log", unary, OH_NN_OPS_LOG},
      {"Neg", unary, OH_NN_OPS_NEG},
      {"Not", unary, OH_NN_OPS_LOGICAL_NOT},
      {"Reciprocal", unary, OH_NN_OPS_RECIPROCAL},
      {"Relu", unary, OH_NN_OPS_RELU, 1},
      {"Round", unary, extension(OH_NN_OPS_ROUND_HALF_EVEN)},
      {"Sigmoid", unary, OH_NN_OPS_SIGMOID, 1},
      {"Sign", unary, extension(OH_NN_OPS_SIGN)},
      {"Sin", unary, OH_NN_OPS_SIN},
      {"Sqrt", unary, OH_NN_OPS_SQRT},
      {"Tanh", unary, OH_NN_OPS_TANH, 1},
  };
}

}  // namespace nnrt::import::onnx
