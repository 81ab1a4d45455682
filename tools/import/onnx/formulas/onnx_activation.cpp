#include "tools/import/onnx/formulas/onnx_activation.h"

#include <cmath>
#include <limits>

namespace nnrt::import::onnx {
namespace {

// `above` where x > 0, otherwise `below`.
TensorId where_positive(Call& call, TensorId x, TensorId above, TensorId below) {
  return call.where(call.emit(Op::greater, {x, call.number(x, 0)}), above, below);
}

// alpha * (exp(x / width) - 1) below 0.
TensorId exponential_below(Call& call, TensorId x, double alpha, double width) {
  const TensorId power = width == 1 ? call.exp(x) : call.emit(Op::exp, {x}, {{Attr::scale, 1 / width}});
  return where_positive(call, x, x, call.mul(call.sub(power, 1.0), alpha));
}

TensorId hard_sigmoid(Call& call, TensorId x, double alpha, double beta) {
  constexpr double kNear = 1e-6;
  const bool is_usual = std::abs(alpha - 1.0 / 6) < kNear && beta == 0.5;
  if (is_usual && kFloat.contains(call.dtype(x))) return call.emit(Op::hard_sigmoid, {x});
  return call.clip(call.add(call.mul(x, alpha), beta), 0, 1);
}

TensorId leaky_relu(Call& call, TensorId x, double alpha, double) {
  if (!kFloat.contains(call.dtype(x))) return where_positive(call, x, x, call.mul(x, alpha));
  return call.emit(Op::leaky_relu, {x}, {{Attr::slope, alpha}});
}

// max(x, 0) + ln(1 + exp(-|x|)), which cannot overflow.
TensorId softplus(Call& call, TensorId x) {
  const TensorId power = call.emit(Op::exp, {call.abs(x)}, {{Attr::scale, -1}});
  return call.add(call.emit(Op::relu, {x}), call.log(call.add(power, 1.0)));
}

constexpr ActivationFunction kFunctions[] = {
    {"Affine",
     [](Call& call, TensorId x, double alpha, double beta) { return call.add(call.mul(x, alpha), beta); }, 2,
     1},
    {"Elu", [](Call& call, TensorId x, double alpha, double) { return exponential_below(call, x, alpha, 1); },
     1, 1},
    {"HardSigmoid", hard_sigmoid, 2, 0.2, 0.5},
    {"LeakyRelu", leaky_relu, 1, 0.01},
    {"Relu",
     [](Call& call, TensorId x, double, double) {
       return kFloat.contains(call.dtype(x)) ? call.emit(Op::relu, {x}) : call.max(x, call.number(x, 0));
     }},
    {"ScaledTanh",
     [](Call& call, TensorId x, double alpha, double beta) {
       return call.mul(call.tanh(call.mul(x, beta)), alpha);
     },
     2, 1, 1},
    {"Sigmoid", [](Call& call, TensorId x, double, double) { return call.sigmoid(x); }},
    {"Softplus", [](Call& call, TensorId x, double, double) { return softplus(call, x); }},
    {"Softsign",
     [](Call& call, TensorId x, double, double) { return call.div(x, call.add(call.abs(x), 1.0)); }},
    {"Tanh", [](Call& call, TensorId x, double, double) { return call.tanh(x); }},
    {"ThresholdedRelu",
     [](Call& call, TensorId x, double alpha, double) {
       return call.where(call.less(call.number(x, alpha), x), x, call.number(x, 0));
     },
     1, 1},
};

// The function of the node's name.
Ids function(Call& call) {
  const ActivationFunction& row = *find_activation(call.type());
  const auto attribute = [&](std::string_view name, double absent) {
    return static_cast<double>(call.attributes.real(name, static_cast<float>(absent)));
  };
  return {row.apply(call, call.input(0), attribute("alpha", row.alpha), attribute("beta", row.beta))};
}

Ids celu(Call& call) {
  const double alpha = call.attributes.real("alpha", 1);
  return {exponential_below(call, call.input(0), alpha, alpha)};
}

// Opset 6 added digits to the defaults.
Ids selu(Call& call) {
  const bool has_digits = call.opset() >= 6;
  const double alpha = call.attributes.real("alpha", has_digits ? 1.67326319217681884765625f : 1.6732f),
               gamma = call.attributes.real("gamma", has_digits ? 1.05070102214813232421875f : 1.0507f);
  return {call.mul(exponential_below(call, call.input(0), alpha, 1), gamma)};
}

Ids mish(Call& call) {
  const TensorId x = call.input(0);
  return {call.mul(x, call.tanh(softplus(call, x)))};
}

Ids gelu(Call& call) {
  return {call.gelu(call.input(0), call.attributes.text("approximate", "none") == "tanh")};
}

// A bound: an attribute before opset 11, afterwards an optional input that may be dynamic.
std::optional<TensorId> bound(Call& call, TensorId x, std::string_view name, size_t input) {
  if (call.has(input)) return call.plain_input(input);
  if (!call.attributes.has(name)) return {};
  return call.number(x, call.attributes.real(name, 0));
}

Ids clip(Call& call) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  TensorId x = call.input(0);
  const std::optional<TensorId> min = bound(call, x, "min", 1);
  const std::optional<TensorId> max = bound(call, x, "max", 2);
  const auto known = [&](const std::optional<TensorId>& id, float absent) -> std::optional<float> {
    if (!id) return absent;
    const std::optional<double> number = call.known_number(*id);
    return number ? std::optional(static_cast<float>(*number)) : std::nullopt;
  };
  const std::optional<float> low = known(min, -kInfinity), high = known(max, kInfinity);
  const DType dtype = call.dtype(x);
  if (low && high && *low <= *high && kFloat.contains(dtype)) {
    if (*low == 0 && *high == 6) return {call.emit(Op::relu6, {x})};
    if (*low == 0 && *high == kInfinity) return {call.emit(Op::relu, {x})};
    return {call.clip(x, *low, *high)};
  }
  if (min) x = call.max(x, *min);
  if (max) x = call.min(x, *max);
  return {x};
}

// PRELU handles scalar and per-channel slopes; others are composed. Before opset 7, a rank-1 slope was per
// channel.
Ids prelu(Call& call) {
  const TensorId x = call.input(0), slope = call.input(1);
  const Dims shape = call.shape(x), slopes = call.shape(slope);
  const std::optional<int64_t> count = nnrt::element_count(slopes);
  if (count && shape.size() >= 2) {
    const int64_t position = static_cast<int64_t>(slopes.size()) - call.rank(x) + 1;  // of the channel
    const bool is_old_vector = call.opset() < 7 && slopes.size() == 1 && *count == shape[1];
    const bool for_channels = position >= 0 && position < static_cast<int64_t>(slopes.size()) &&
                              slopes[static_cast<size_t>(position)] == *count && *count == shape[1];
    if (for_channels || is_old_vector || *count == 1)
      return {call.emit(Op::prelu, {x, call.reshape(slope, {*count})})};
  }
  return {where_positive(call, x, x, call.mul(x, slope))};
}

}  // namespace

const ActivationFunction* find_activation(std::string_view name) {
  const auto* const found = std::ranges::find(kFunctions, name, &ActivationFunction::name);
  return found == std::end(kFunctions) ? nullptr : found;
}

std::vector<Row> activation_rows() {
  return {
      {"Celu", celu},
      {"Clip", clip},
      {"Elu", function},
      {"Gelu", gelu},
      runtime_row("Gelu", gelu),
      {"HardSigmoid", function},
      {"LeakyRelu", function},
      {"Mish", mish},
      {"PRelu", prelu},
      {"Selu", selu},
      {"Softplus", function},
      {"Softsign", function},
      {"ThresholdedRelu", function},
  };
}

}  // namespace nnrt::import::onnx
