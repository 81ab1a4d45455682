// Activations: unary operators with attributes.
#include "tools/import/onnx/onnx_call.h"

#include <cmath>
#include <limits>

namespace nnrt::import::onnx {
namespace {

// `above` where x > 0, otherwise `below`.
Result<TensorId> where_positive(Call& call, TensorId x, TensorId above, TensorId below) {
  NNRT_ASSIGN(const TensorId positive, call.emit(OH_NN_OPS_GREATER, {x, call.number_like(x, 0)}));
  return call.emit(OH_NN_OPS_WHERE, {positive, above, below});
}

Result<TensorId> scaled(Call& call, TensorId x, double factor) {
  if (factor == 1) return x;
  return call.emit(OH_NN_OPS_MUL, {x, call.number_like(x, factor)});
}

Result<TensorId> leaky_relu(Call& call, TensorId x) {
  const float slope = call.attributes.real("alpha", 0.01f);
  return call.emit(OH_NN_OPS_LEAKY_RELU, {x}, {float_parameter(OH_NN_LEAKY_RELU_NEGATIVE_SLOPE, slope)});
}

// alpha * (exp(x / width) - 1) below 0.
Result<TensorId> exponential_below(Call& call, TensorId x, float alpha, float width) {
  NNRT_ASSIGN(const TensorId power,
              call.emit(OH_NN_OPS_EXP, {x}, {float_parameter(OH_NN_EXP_SCALE, 1 / width)}));
  NNRT_ASSIGN(const TensorId less_one, call.emit(OH_NN_OPS_SUB, {power, call.number_like(x, 1)}));
  NNRT_ASSIGN(const TensorId below, scaled(call, less_one, alpha));
  return where_positive(call, x, x, below);
}

Result<TensorId> elu(Call& call, TensorId x) {
  return exponential_below(call, x, call.attributes.real("alpha", 1), 1);
}

Result<TensorId> celu(Call& call, TensorId x) {
  const float alpha = call.attributes.real("alpha", 1);
  return exponential_below(call, x, alpha, alpha);
}

// Opset 6 added digits to the defaults.
Result<TensorId> selu(Call& call, TensorId x) {
  const bool has_digits = call.opset() >= 6;
  NNRT_ASSIGN(
      const TensorId y,
      exponential_below(call, x,
                        call.attributes.real("alpha", has_digits ? 1.67326319217681884765625f : 1.6732f), 1));
  return scaled(call, y, call.attributes.real("gamma", has_digits ? 1.05070102214813232421875f : 1.0507f));
}

// max(x, 0) + ln(1 + exp(-|x|)), which cannot overflow.
Result<TensorId> softplus(Call& call, TensorId x) {
  NNRT_ASSIGN(const TensorId size, call.emit(OH_NN_OPS_ABS, {x}));
  NNRT_ASSIGN(const TensorId power, call.emit(OH_NN_OPS_EXP, {size}, {float_parameter(OH_NN_EXP_SCALE, -1)}));
  NNRT_ASSIGN(const TensorId sum, call.emit(OH_NN_OPS_ADD, {power, call.number_like(x, 1)}));
  NNRT_ASSIGN(const TensorId corrupt, call.emit(OH_NN_OPS_LOG, {sum}));
  NNRT_ASSIGN(const TensorId line, call.emit(OH_NN_OPS_RELU, {x}));
  return call.emit(OH_NN_OPS_ADD, {line, corrupt});
}

Result<TensorId> softsign(Call& call, TensorId x) {
  NNRT_ASSIGN(const TensorId size, call.emit(OH_NN_OPS_ABS, {x}));
  NNRT_ASSIGN(const TensorId divisor, call.emit(OH_NN_OPS_ADD, {size, call.number_like(x, 1)}));
  return call.emit(OH_NN_OPS_DIV, {x, divisor});
}

Result<TensorId> mish(Call& call, TensorId x) {
  NNRT_ASSIGN(const TensorId soft, softplus(call, x));
  NNRT_ASSIGN(const TensorId gate, call.emit(OH_NN_OPS_TANH, {soft}));
  return call.emit(OH_NN_OPS_MUL, {x, gate});
}

Result<TensorId> thresholded_relu(Call& call, TensorId x) {
  const TensorId threshold = call.number_like(x, call.attributes.real("alpha", 1));
  NNRT_ASSIGN(const TensorId above, call.emit(OH_NN_OPS_GREATER, {x, threshold}));
  return call.emit(OH_NN_OPS_WHERE, {above, x, call.number_like(x, 0)});
}

Result<TensorId> hard_sigmoid(Call& call, TensorId x) {
  const float alpha = call.attributes.real("alpha", 0.2f), beta = call.attributes.real("beta", 0.5f);
  constexpr float kNear = 1e-6f;
  if (std::fabs(alpha - 1.0f / 6) < kNear && beta == 0.5f) return call.emit(OH_NN_OPS_HARD_SIGMOID, {x});
  NNRT_ASSIGN(const TensorId product, scaled(call, x, alpha));
  NNRT_ASSIGN(const TensorId sum, call.emit(OH_NN_OPS_ADD, {product, call.number_like(x, beta)}));
  return call.emit(OH_NN_OPS_CLIP, {sum},
                   {float_parameter(OH_NN_CLIP_MIN, 0), float_parameter(OH_NN_CLIP_MAX, 1)});
}

Result<TensorId> gelu(Call& call, TensorId x) {
  const bool approximate = call.attributes.text("approximate", "none") == "tanh";
  return call.emit(OH_NN_OPS_GELU, {x}, {bool_parameter(OH_NN_GELU_APPROXIMATE, approximate)});
}

template <Result<TensorId> (*function)(Call&, TensorId)>
Result<Ids> of_one(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  return single(function(call, x));
}

// A bound: an attribute before opset 11, afterwards an optional input that may be dynamic.
Result<std::optional<TensorId>> bound(Call& call, TensorId x, std::string_view name, size_t input) {
  if (call.has(input)) {
    NNRT_ASSIGN(const TensorId id, call.plain_input(input));
    return std::optional(id);
  }
  if (!call.attributes.has(name)) return std::optional<TensorId>();
  return std::optional(call.number_like(x, call.attributes.real(name, 0)));
}

Result<Ids> clip(Call& call) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  NNRT_ASSIGN(TensorId x, call.input(0));
  NNRT_ASSIGN(const std::optional<TensorId> min, bound(call, x, "min", 1));
  NNRT_ASSIGN(const std::optional<TensorId> max, bound(call, x, "max", 2));
  const auto known = [&](const std::optional<TensorId>& id, float absent) -> std::optional<float> {
    if (!id) return absent;
    const auto numbers = call.emitter().known_numbers(*id);
    if (!numbers || numbers->size() != 1) return {};
    return static_cast<float>(numbers->at(0));
  };
  const std::optional<float> low = known(min, -kInfinity), high = known(max, kInfinity);
  const DType dtype = call.emitter().dtype(x);
  if (low && high && *low <= *high && kFloat.contains(dtype)) {
    if (*low == 0 && *high == 6) return single(call.emit(OH_NN_OPS_RELU6, {x}));
    if (*low == 0 && *high == kInfinity) return single(call.emit(OH_NN_OPS_RELU, {x}));
    return single(call.emit(OH_NN_OPS_CLIP, {x},
                            {float_parameter(OH_NN_CLIP_MIN, *low), float_parameter(OH_NN_CLIP_MAX, *high)}));
  }
  if (min) {
    NNRT_ASSIGN(x, call.emit(OH_NN_OPS_MAXIMUM, {x, *min}));
  }
  if (max) {
    NNRT_ASSIGN(x, call.emit(OH_NN_OPS_MINIMUM, {x, *max}));
  }
  return Ids{x};
}

// PRELU handles scalar and per-channel slopes; others are composed. Before opset 7, a rank-1 slope was per
// channel.
Result<Ids> prelu(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(const TensorId slope, call.input(1));
  const Dims shape = call.shape(x), slopes = call.shape(slope);
  const std::optional<int64_t> count = nnrt::element_count(slopes);
  if (count && shape.size() >= 2) {
    const int64_t position = static_cast<int64_t>(slopes.size()) - call.rank(x) + 1;  // of the channel
    const bool is_old_vector = call.opset() < 7 && slopes.size() == 1 && *count == shape[1];
    const bool for_channels = position >= 0 && position < static_cast<int64_t>(slopes.size()) &&
                              slopes[static_cast<size_t>(position)] == *count && *count == shape[1];
    if (for_channels || is_old_vector || *count == 1) {
      NNRT_ASSIGN(const TensorId vector, call.reshape(slope, {*count}));
      return single(call.emit(OH_NN_OPS_PRELU, {x, vector}));
    }
  }
  NNRT_ASSIGN(const TensorId product, call.emit(OH_NN_OPS_MUL, {x, slope}));
  return single(where_positive(call, x, x, product));
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
