// Activations: unary operators with attributes.
#include "tools/import/onnx/onnx_call.h"

#include <cmath>
#include <limits>

namespace nnrt::import::onnx {
namespace {

// `above` where x > 0, otherwise `below`.
TensorId where_positive(Call& call, TensorId x, TensorId above, TensorId below) {
  return call.where(call.emit(Op::greater, {x, call.number(x, 0)}), above, below);
}

TensorId leaky_relu(Call& call, TensorId x) {
  const float slope = call.attributes.real("alpha", 0.01f);
  return call.emit(Op::leaky_relu, {x}, {{Attr::slope, slope}});
}

// alpha * (exp(x / width) - 1) below 0.
TensorId exponential_below(Call& call, TensorId x, float alpha, float width) {
  const TensorId power = call.emit(Op::exp, {x}, {{Attr::scale, 1 / width}});
  return where_positive(call, x, x, call.mul(call.sub(power, 1.0), alpha));
}

TensorId elu(Call& call, TensorId x) {
  return exponential_below(call, x, call.attributes.real("alpha", 1), 1);
}

TensorId celu(Call& call, TensorId x) {
  const float alpha = call.attributes.real("alpha", 1);
  return exponential_below(call, x, alpha, alpha);
}

// Opset 6 added digits to the defaults.
TensorId selu(Call& call, TensorId x) {
  const bool has_digits = call.opset() >= 6;
  const TensorId y = exponential_below(
      call, x, call.attributes.real("alpha", has_digits ? 1.67326319217681884765625f : 1.6732f), 1);
  return call.mul(y, call.attributes.real("gamma", has_digits ? 1.05070102214813232421875f : 1.0507f));
}

// max(x, 0) + ln(1 + exp(-|x|)), which cannot overflow.
TensorId softplus(Call& call, TensorId x) {
  const TensorId power = call.emit(Op::exp, {call.abs(x)}, {{Attr::scale, -1}});
  return call.add(call.emit(Op::relu, {x}), call.log(call.add(power, 1.0)));
}

TensorId softsign(Call& call, TensorId x) { return call.div(x, call.add(call.abs(x), 1.0)); }

TensorId mish(Call& call, TensorId x) { return call.mul(x, call.tanh(softplus(call, x))); }

TensorId thresholded_relu(Call& call, TensorId x) {
  const TensorId above = call.emit(Op::greater, {x, call.number(x, call.attributes.real("alpha", 1))});
  return call.where(above, x, call.number(x, 0));
}

TensorId hard_sigmoid(Call& call, TensorId x) {
  const float alpha = call.attributes.real("alpha", 0.2f), beta = call.attributes.real("beta", 0.5f);
  constexpr float kNear = 1e-6f;
  if (std::fabs(alpha - 1.0f / 6) < kNear && beta == 0.5f) return call.emit(Op::hard_sigmoid, {x});
  return call.clip(call.add(call.mul(x, alpha), beta), 0, 1);
}

TensorId gelu(Call& call, TensorId x) {
  return call.gelu(x, call.attributes.text("approximate", "none") == "tanh");
}

template <TensorId (*function)(Call&, TensorId)>
Ids of_one(Call& call) {
  return {function(call, call.input(0))};
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

std::vector<Row> activation_rows() {
  return {
      {"Celu", of_one<celu>},
      {"Clip", clip},
      {"Elu", of_one<elu>},
      {"Gelu", of_one<gelu>},
      {"Gelu", of_one<gelu>, {}, kNoQuantizedInputs, false, "com.microsoft"},
      {"HardSigmoid", of_one<hard_sigmoid>},
      {"LeakyRelu", of_one<leaky_relu>},
      {"Mish", of_one<mish>},
      {"PRelu", prelu},
      {"Selu", of_one<selu>},
      {"Softplus", of_one<softplus>},
      {"Softsign", of_one<softsign>},
      {"ThresholdedRelu", of_one<thresholded_relu>},
  };
}

}  // namespace nnrt::import::onnx
