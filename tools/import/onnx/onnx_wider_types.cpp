// Integer operators that OH_NN lacks for a dtype, computed in a wider one.
#include "tools/import/onnx/onnx_wider_types.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

// A dtype that holds all values, or DType::unknown. The second attempt uses float for small integers. FLOAT64
// has no substitute: FLOAT32 would silently lose precision.
DType substitute(DType dtype, int attempt) {
  switch (dtype) {
    case DType::i8:
    case DType::u8:
    case DType::i16:
    case DType::u16: return attempt == 0 ? DType::i32 : DType::f32;
    case DType::u32: return DType::i64;
    default: return DType::unknown;
  }
}

struct Attempt {
  List<Value> values;  // one per input
  DType from = DType::unknown, to = DType::unknown;
};

// Casts all inputs of the first dtype that has a substitute; empty if there is none.
std::optional<Attempt> cast_inputs(Call& call, int number) {
  Attempt attempt;
  for (const Value* const input : call.inputs) {
    Value value = input == nullptr ? Value{} : *input;
    if (value.plain && !value.dequantized) {
      const DType dtype = call.dtype(*value.plain);
      const DType other = substitute(dtype, number);
      if (other != DType::unknown && (attempt.from == DType::unknown || attempt.from == dtype)) {
        attempt.from = dtype;
        attempt.to = other;
        value.plain = call.cast(*value.plain, other);
      }
    }
    attempt.values.push_back(value);
  }
  if (attempt.from == DType::unknown) return {};
  return attempt;
}

// Bodies must not be converted twice.
bool has_body(const Call& call) {
  return std::ranges::any_of(call.node().attribute(),
                             [](const auto& attribute) { return attribute.has_g(); });
}

bool may_be_cast(const Call& call, const Result<Ids>& made) {
  return !made.ok() && made.error().code == Code::unsupported && !call.is_quantized_call() && !has_body(call);
}

}  // namespace

Ids run_in_wider_types(Call& call) {
  const int8_t activation = call.activation;
  const List<Value*> inputs = call.inputs;
  Result<Ids> first = run_handler(call);
  constexpr int kAttempts = 2;
  for (int number = 0; number < kAttempts && may_be_cast(call, first); ++number) {
    call.inputs = inputs;
    auto cast = converting([&] { return cast_inputs(call, number); });
    if (!cast.ok() || !cast.value()) break;
    Attempt& attempt = *cast.value();
    for (size_t i = 0; i < inputs.size(); ++i) call.inputs[i] = inputs[i] ? &attempt.values[i] : nullptr;
    call.activation = activation;
    call.result.reset();
    Result<Ids> made = run_handler(call);
    call.inputs = inputs;
    if (!made.ok() || call.result) continue;
    Ids results = std::move(made).value();
    for (TensorId& id : results)
      if (call.dtype(id) == attempt.to) id = call.cast(id, attempt.from);
    return results;
  }
  return required(std::move(first));
}

}  // namespace nnrt::import::onnx
