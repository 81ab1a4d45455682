// LSTM, GRU and RNN. ONNX and OH_NN use the same gate order.
#include "tools/import/onnx/formulas/onnx_recurrent_formulas.h"

#include <algorithm>
#include <limits>
#include <span>

namespace nnrt::import::onnx {
namespace {

struct Sizes {
  int64_t steps, batch, directions, hidden;
};

// Returns whether the activations of every direction are the default ones.
bool has_functions(Call& call, std::span<const std::string_view> wanted) {
  const List<std::string> functions = call.attributes.texts("activations");
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i] != wanted[i % wanted.size()]) return false;
  }
  return true;
}

bool has_one_length(Call& call) {
  if (!call.has(4)) return true;
  const TensorId x = call.plain_input(0);
  if (call.rank(x) != 3) return false;
  const int64_t steps = call.shape(x)[call.attributes.flag("layout") ? 1 : 0];
  const auto known = call.known_integers(call.plain_input(4));
  return known && std::ranges::all_of(*known, [&](int64_t length) { return length == steps; });
}

// Returns whether an OH_NN layer supports the node, except for its sequence lengths.
bool is_plain(Call& call, std::span<const std::string_view> functions) {
  const bool is_coupled = call.attributes.flag("input_forget") || call.has(7);
  return !is_coupled && !call.attributes.has("clip") && has_functions(call, functions);
}

// Zeros for [directions, batch, hidden]; the batch may be dynamic.
TensorId zero_state(Call& call, TensorId x, const Sizes& sizes) {
  const DType dtype = call.dtype(x);
  const Dims shape{sizes.directions, sizes.batch, sizes.hidden};
  if (sizes.batch != kUnknown) return call.filled(dtype, shape, 0);
  const TensorId batch = call.slice(call.shape_as_tensor(x), 0, 1, 2);
  return call.filled_as(
      dtype, call.concat({call.vector({sizes.directions}), batch, call.vector({sizes.hidden})}, 0), 0);
}

TensorId state(Call& call, size_t input, TensorId x, const Sizes& sizes, bool batch_first) {
  if (!call.has(input)) return zero_state(call, x, sizes);
  const TensorId given = call.input(input);
  return batch_first ? call.transpose(given, {1, 0, 2}) : given;
}

// [S, B, D * H] to ONNX's [S, D, B, H], or [B, S, D, H].
TensorId as_output(Call& call, TensorId y, const Sizes& sizes, bool batch_first) {
  const TensorId parts = call.regroup(y, {0, 0, sizes.directions, sizes.hidden});
  return call.transpose(parts, batch_first ? List<int64_t>{1, 0, 2, 3} : List<int64_t>{0, 2, 1, 3});
}

// Common to all three: [S, B, I] in OH_NN's layout, forward or bidirectional.
struct Layer {
  Sizes sizes{};
  bool batch_first = false, backward = false;
  Ids operands;  // input, both weights, bias
};

Layer read_layer(Call& call, int64_t gates) {
  const std::string direction = call.attributes.text("direction", "forward");
  Layer layer;
  layer.batch_first = call.attributes.flag("layout");
  layer.backward = direction == "reverse";
  TensorId x = call.input(0);
  const TensorId w = call.input(1), r = call.input(2);
  if (call.rank(x) != 3 || call.rank(w) != 3 || call.rank(r) != 3)
    fail(damaged("An input of the layer does not have rank 3."));
  if (layer.batch_first) x = call.transpose(x, {1, 0, 2});
  Sizes& sizes = layer.sizes;
  sizes = {call.shape(x)[0], call.shape(x)[1], direction == "bidirectional" ? 2 : 1, call.shape(r)[2]};
  if (sizes.hidden < 1 || sizes.hidden > std::numeric_limits<int32_t>::max() / (2 * gates))
    fail(damaged("The hidden size (", sizes.hidden, ") is not supported."));
  const TensorId bias = call.has(3)
                            ? call.input(3)
                            : call.filled(call.dtype(x), {sizes.directions, 2 * gates * sizes.hidden}, 0);
  layer.operands = {x, w, r, bias};
  return layer;
}

// Outputs in ONNX's layout: the sequence, then the states.
Ids as_outputs(Call& call, const Layer& layer, Ids made) {
  if (call.wants(0)) made[0] = as_output(call, made[0], layer.sizes, layer.batch_first);
  for (size_t i = 1; layer.batch_first && i < made.size(); ++i) made[i] = call.transpose(made[i], {1, 0, 2});
  return made;
}

Ids lstm_layer(Call& call, const Ids& operands, bool both) {
  return call.emitter().emit_many(Op::lstm, operands, {{Attr::bidirectional, both}, {Attr::has_bias, true}},
                                  {.count = 3});
}

// LSTM has no parameter for backward only.
Ids lstm(Call& call) {
  constexpr std::string_view kFunctions[] = {"Sigmoid", "Tanh", "Tanh"};
  if (!is_plain(call, kFunctions)) return recurrent_steps(call, 4);
  if (!has_one_length(call))
    return recurrent_lengths(call, 4, [&](const Ids& operands) { return lstm_layer(call, operands, false); });
  Layer layer = read_layer(call, 4);
  const TensorId x = layer.operands[0];
  if (layer.backward) layer.operands[0] = call.reversed(x, {0});
  for (const size_t input : {5, 6})
    layer.operands.push_back(state(call, input, x, layer.sizes, layer.batch_first));
  Ids made = lstm_layer(call, layer.operands, layer.sizes.directions == 2);
  if (layer.backward) made[0] = call.reversed(made[0], {0});
  return as_outputs(call, layer, std::move(made));
}

// GRU or RNN, from the layer to its outputs.
Ids one_state_layer(Call& call, Op operation, int64_t gates, const AttrSetting& option) {
  constexpr int8_t kForward = 0, kBackward = 1, kBoth = 2;
  const auto emit = [&](const Ids& operands, int8_t value) {
    return call.emitter().emit_many(operation, operands, {{Attr::direction, value}, option}, {.count = 2});
  };
  if (!has_one_length(call))
    return recurrent_lengths(call, gates, [&](const Ids& operands) { return emit(operands, kForward); });
  Layer layer = read_layer(call, gates);
  layer.operands.push_back(state(call, 5, layer.operands[0], layer.sizes, layer.batch_first));
  const int8_t value = layer.sizes.directions == 2 ? kBoth : layer.backward ? kBackward : kForward;
  return as_outputs(call, layer, emit(layer.operands, value));
}

Ids gru(Call& call) {
  constexpr std::string_view kFunctions[] = {"Sigmoid", "Tanh"};
  if (!is_plain(call, kFunctions)) return recurrent_steps(call, 3);
  const bool linear = call.attributes.flag("linear_before_reset");
  return one_state_layer(call, Op::gru, 3, {Attr::linear_before_reset, linear});
}

Ids rnn(Call& call) {
  constexpr std::string_view kTanh[] = {"Tanh"}, kRelu[] = {"Relu"};
  const bool rectifies = !call.attributes.texts("activations").empty() && has_functions(call, kRelu);
  if (!is_plain(call, rectifies ? kRelu : kTanh)) return recurrent_steps(call, 1);
  return one_state_layer(call, Op::rnn, 1, {Attr::mode, rectifies});
}

}  // namespace

std::vector<Row> recurrent_rows() { return {{"GRU", gru}, {"LSTM", lstm}, {"RNN", rnn}}; }

}  // namespace nnrt::import::onnx
