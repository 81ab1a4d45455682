// LSTM, GRU and RNN. ONNX and OH_NN use the same gate order.
#include "tools/import/onnx/formulas/onnx_activation.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <span>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kMaxSteps = 1024;  // of a layer that is unrolled
constexpr int64_t kLstmGates = 4, kGruGates = 3;

// Emits one direction of an OH_NN recurrent layer. Operands as in ONNX: input, both weights, bias, states.
using DirectionLayer = std::function<Ids(const Ids& operands)>;

// States [directions, batch, hidden] before x [steps, batch, width]: the node's input or that of one
// direction, or else zeros. The batch may be dynamic.
TensorId states(Call& call, size_t input, TensorId x, int64_t hidden, int64_t directions,
                std::optional<int64_t> direction = {}) {
  if (call.has(input)) {
    const TensorId given = call.input(input);
    const TensorId all = call.attributes.flag("layout") ? call.transpose(given, {1, 0, 2}) : given;
    return direction ? call.slice(all, 0, *direction, *direction + 1) : all;
  }
  const int64_t batch = call.shape(x)[1];
  if (batch != kUnknown) return call.filled(call.dtype(x), {directions, batch, hidden}, 0);
  const TensorId known = call.slice(call.shape_as_tensor(x), 0, 1, 2);
  return call.filled_as(call.dtype(x),
                        call.concat({call.vector({directions}), known, call.vector({hidden})}, 0), 0);
}

// 0, 1, ... along a dimension of x, [length].
TensorId positions(Call& call, TensorId x, int64_t axis) {
  const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
  if (length != kUnknown) return call.indices(DType::i64, {length}, [](int64_t i) { return i; });
  const TensorId ones = call.filled_as(DType::i64, call.slice(call.shape_as_tensor(x), 0, axis, axis + 1), 1);
  return call.sub(call.emit(Op::cum_sum, {ones}), 1.0);
}

class Sequences {
 public:
  // x: [steps, batch, width]
  Sequences(Call& call, TensorId x) : call_(call), lengths_(call.cast(call.input(4), DType::i64)) {
    const TensorId step = call.unsqueeze(positions(call, x, 0), {1});
    batch_ = positions(call, x, 1);
    const TensorId is_valid = call.less(step, lengths_);
    const TensorId mirrored = call.where(is_valid, call.sub(call.sub(lengths_, 1.0), step), step);
    valid_ = call.unsqueeze(is_valid, {2});
    mirrored_ = with_batch(mirrored);
  }

  // [steps, batch, 1]
  TensorId valid() const { return valid_; }
  TensorId masked(TensorId x) { return call_.where(valid_, x, call_.number(x, 0)); }
  // Reverses each sequence; steps after its end keep their place.
  TensorId reversed(TensorId x) { return call_.emit(Op::gather_nd, {x, mirrored_}); }
  // The last valid step of y as [1, batch, hidden]; `start` for sequences without steps.
  TensorId last(TensorId y, TensorId start) {
    const TensorId at = call_.max(call_.sub(lengths_, 1.0), call_.number(lengths_, 0));
    const TensorId found = call_.unsqueeze(call_.emit(Op::gather_nd, {y, with_batch(at)}), {0});
    const TensorId is_empty = call_.unsqueeze(call_.less(lengths_, 1.0), {1});
    return call_.where(is_empty, start, found);
  }

 private:
  // Indices [..., batch, 2] from steps [..., batch].
  TensorId with_batch(TensorId step) {
    const int64_t rank = call_.rank(step);
    const TensorId column = call_.add(call_.mul(step, call_.number(step, 0)), batch_);
    return call_.concat({call_.unsqueeze(step, {rank}), call_.unsqueeze(column, {rank})}, rank);
  }

  Call& call_;
  TensorId lengths_, batch_ = 0, valid_ = 0, mirrored_ = 0;
};

// Keeps an LSTM's cell state after the end of a sequence: another input feature, 1 there, closes the input
// gate and opens the forget gate. Its weight exceeds any sum of a state within [-1, 1] and a bias by far, and
// fits FLOAT16.
void freeze_cell(Call& call, const Sequences& sequences, TensorId& x, TensorId& weights, int64_t hidden) {
  constexpr double kClosed = -30000, kOpen = 30000;
  x = call.concat({x, call.cast(call.emit(Op::logical_not, {sequences.valid()}), call.dtype(x))}, 2);
  const TensorId column = call.indices(call.dtype(weights), {1, kLstmGates * hidden, 1}, [&](int64_t row) {
    const int64_t gate = row / hidden;  // input, output, forget, cell
    return gate == 0 ? kClosed : gate == 2 ? kOpen : 0;
  });
  weights = call.concat({weights, column}, 2);
}

// Input, weights, bias, lengths and states have fixed ranks.
void check_ranks(Call& call) {
  constexpr int64_t kRanks[] = {3, 3, 3, 2, 1, 3, 3};
  for (size_t i = 0; i < std::size(kRanks); ++i) {
    if (!call.has(i)) continue;
    const TensorId id = call.plain_input(i);
    if (call.rank(id) != kRanks[i])
      fail(damaged("Input ", i, " of the layer has rank (", call.rank(id), ") instead of ", kRanks[i], "."));
  }
}

// For layers that OH_NN has except for their sequence lengths. A layer runs over all steps of each direction;
// what it computes after the end of a sequence is masked. The number of steps may be dynamic.
Ids recurrent_lengths(Call& call, int64_t gates, const DirectionLayer& layer) {
  check_ranks(call);
  const bool batch_first = call.attributes.flag("layout");
  const std::string order = call.attributes.text("direction", "forward");
  const TensorId given = call.input(0), r = call.input(2);
  if (call.shape(r)[2] < 1) fail(unsupported("The size of the state is known only at run time."));
  const int64_t hidden = call.shape(r)[2], directions = order == "bidirectional" ? 2 : 1;
  const TensorId x = batch_first ? call.transpose(given, {1, 0, 2}) : given;
  Sequences sequences(call, x);
  List<Ids> parts(3);  // Y, Y_h and Y_c of each direction
  for (int64_t direction = 0; direction < directions; ++direction) {
    const bool backward = order == "reverse" || direction == 1;
    const auto part = [&](size_t input) {
      return call.slice(call.input(input), 0, direction, direction + 1);
    };
    TensorId read = sequences.masked(backward ? sequences.reversed(x) : x), weights = part(1);
    if (gates == kLstmGates && call.wants(2)) freeze_cell(call, sequences, read, weights, hidden);
    const TensorId bias = call.has(3) ? part(3) : call.filled(call.dtype(x), {1, 2 * gates * hidden}, 0);
    Ids operands{read, weights, part(2), bias, states(call, 5, x, hidden, 1, direction)};
    if (gates == kLstmGates) operands.push_back(states(call, 6, x, hidden, 1, direction));
    const Ids made = layer(operands);
    const TensorId y = sequences.masked(made[0]);
    parts[0].push_back(call.unsqueeze(backward ? sequences.reversed(y) : y, {1}));
    parts[1].push_back(sequences.last(made[0], operands[4]));
    if (gates == kLstmGates) parts[2].push_back(made[2]);
  }
  Ids results{call.concat(parts[0], 1), call.concat(parts[1], 0)};
  if (gates == kLstmGates) results.push_back(call.concat(parts[2], 0));
  if (!batch_first) return results;
  results[0] = call.transpose(results[0], {2, 0, 1, 3});
  for (size_t i = 1; i < results.size(); ++i) results[i] = call.transpose(results[i], {1, 0, 2});
  return results;
}

struct GateFunction {
  const ActivationFunction* function = nullptr;
  double alpha = 0, beta = 0;

  TensorId operator()(Call& call, TensorId x) const { return function->apply(call, x, alpha, beta); }
};

// The listed activations of all directions, each with its parameters.
List<GateFunction> read_functions(const Attributes& attributes, const List<std::string>& names) {
  const List<float> alphas = attributes.floats("activation_alpha"),
                    betas = attributes.floats("activation_beta");
  size_t alpha = 0, beta = 0;
  List<GateFunction> functions;
  for (const std::string& name : names) {
    const ActivationFunction* const row = find_activation(name);
    if (row == nullptr) fail(unsupported("The function (", name, ") as a gate activation is not supported."));
    GateFunction function{row, row->alpha, row->beta};
    if (row->parameters > 0 && alpha < alphas.size()) function.alpha = double(alphas[alpha++]);
    if (row->parameters > 1 && beta < betas.size()) function.beta = double(betas[beta++]);
    functions.push_back(function);
  }
  return functions;
}

// Parameters common to both directions.
struct Steps {
  int64_t gates, steps, hidden, directions;
  bool batch_first = false, input_forget = false, linear_before_reset = false;
  double clip = 0;               // 0: no clipping
  List<GateFunction> functions;  // for all directions
};

// Operands of one direction, without the direction dimension.
struct Direction {
  TensorId w, r, bias_w, bias_r, h, c = 0;
  std::optional<std::array<TensorId, 3>> peepholes;  // input, output and forget gate
  std::span<const GateFunction> functions;
};

// Computes a step from the products of input and state with their weights, [batch, gates * hidden].
class Cell {
 public:
  Cell(Call& call, const Steps& steps, const Direction& direction)
      : call_(call), steps_(steps), direction_(direction) {}

  struct State {
    TensorId h, c;
  };
  // `x` is the input's product with its weights.
  State next(TensorId x, State state) {
    if (steps_.gates == kLstmGates) return lstm(x, state);
    return {steps_.gates == kGruGates ? gru(x, state.h) : rnn(x, state.h), 0};
  }

 private:
  TensorId gate(TensorId all, int64_t index) {
    return call_.slice(all, 1, index * steps_.hidden, (index + 1) * steps_.hidden);
  }
  TensorId through(size_t function, TensorId x) {
    if (steps_.clip > 0) x = call_.clip(x, -steps_.clip, steps_.clip);
    return direction_.functions[function](call_, x);
  }
  TensorId with_peephole(TensorId x, size_t peephole, TensorId c) {
    return direction_.peepholes ? call_.add(x, call_.mul((*direction_.peepholes)[peephole], c)) : x;
  }
  TensorId recurrent(TensorId h) { return call_.add(call_.matmul(h, direction_.r, true), direction_.bias_r); }

  TensorId rnn(TensorId x, TensorId h) { return through(0, call_.add(x, recurrent(h))); }

  // Gates: update, reset, hidden.
  TensorId gru(TensorId x, TensorId h) {
    const TensorId all = recurrent(h);
    const TensorId update = through(0, call_.add(gate(x, 0), gate(all, 0)));
    const TensorId reset = through(0, call_.add(gate(x, 1), gate(all, 1)));
    TensorId inner = 0;
    if (steps_.linear_before_reset) {
      inner = call_.mul(reset, gate(all, 2));
    } else {
      const TensorId weights = call_.slice(direction_.r, 0, 2 * steps_.hidden, 3 * steps_.hidden);
      const TensorId bias = call_.slice(direction_.bias_r, 0, 2 * steps_.hidden, 3 * steps_.hidden);
      inner = call_.add(call_.matmul(call_.mul(reset, h), weights, true), bias);
    }
    const TensorId hidden = through(1, call_.add(gate(x, 2), inner));
    return call_.add(call_.mul(call_.sub(call_.number(update, 1), update), hidden), call_.mul(update, h));
  }

  // Gates: input, output, forget, cell.
  State lstm(TensorId x, State state) {
    const TensorId all = call_.add(x, recurrent(state.h));
    const TensorId input = through(0, with_peephole(gate(all, 0), 0, state.c));
    const TensorId forget = steps_.input_forget ? call_.sub(call_.number(input, 1), input)
                                                : through(0, with_peephole(gate(all, 2), 2, state.c));
    const TensorId cell = through(1, gate(all, 3));
    const TensorId c = call_.add(call_.mul(forget, state.c), call_.mul(input, cell));
    const TensorId output = through(0, with_peephole(gate(all, 1), 1, c));
    return {call_.mul(output, direction_.functions[2](call_, c)), c};  // the cell is not clipped
  }

  Call& call_;
  const Steps& steps_;
  const Direction& direction_;
};

struct DirectionResult {
  Ids y;  // [batch, hidden] per step
  TensorId h, c;
};

DirectionResult run_direction(Call& call, const Steps& steps, const Direction& direction, TensorId x,
                              const List<TensorId>& ended, bool backward) {
  Cell cell(call, steps, direction);
  Cell::State state{direction.h, direction.c};
  DirectionResult made{Ids(static_cast<size_t>(steps.steps)), 0, 0};
  const auto held = [&](size_t step, TensorId before, TensorId after) {
    return ended.empty() ? after : call.where(ended[step], before, after);
  };
  for (int64_t i = 0; i < steps.steps; ++i) {
    const int64_t at = backward ? steps.steps - 1 - i : i;
    const auto step = static_cast<size_t>(at);
    const TensorId row = call.gather(x, call.number(DType::i64, double(at)), 0);
    const Cell::State next =
        cell.next(call.add(call.matmul(row, direction.w, true), direction.bias_w), state);
    made.y[step] = held(step, call.number(next.h, 0), next.h);
    state.h = held(step, state.h, next.h);
    if (steps.gates == kLstmGates) state.c = held(step, state.c, next.c);
  }
  made.h = state.h;
  made.c = state.c;
  return made;
}

// Operands of one direction.
class Operands {
 public:
  Operands(Call& call, const Steps& steps, TensorId x) : call_(call), steps_(steps), x_(x) {}

  Direction read(int64_t direction) {
    Call& call = call_;
    Direction made{};
    made.w = part(1, direction);
    made.r = part(2, direction);
    const int64_t width = steps_.gates * steps_.hidden;
    if (call.has(3)) {
      const TensorId bias = part(3, direction);
      made.bias_w = call_.slice(bias, 0, 0, width);
      made.bias_r = call_.slice(bias, 0, width, 2 * width);
    } else {
      made.bias_w = made.bias_r = call_.number(x_, 0);
      if (steps_.gates == kGruGates) made.bias_r = call_.filled(call_.dtype(x_), {width}, 0);
    }
    made.h = state(5, direction);
    if (steps_.gates == kLstmGates) made.c = state(6, direction);
    if (steps_.gates == kLstmGates && call.has(7)) {
      const TensorId all = part(7, direction);
      made.peepholes = {call_.slice(all, 0, 0, steps_.hidden),
                        call_.slice(all, 0, steps_.hidden, 2 * steps_.hidden),
                        call_.slice(all, 0, 2 * steps_.hidden, 3 * steps_.hidden)};
    }
    const size_t each = steps_.functions.size() / static_cast<size_t>(steps_.directions);
    made.functions = std::span(steps_.functions).subspan(each * static_cast<size_t>(direction), each);
    return made;
  }

 private:
  TensorId part(size_t input, int64_t direction) {
    return call_.gather(call_.input(input), call_.emitter().number(DType::i64, double(direction)), 0);
  }
  TensorId state(size_t input, int64_t direction) {
    return call_.squeeze(states(call_, input, x_, steps_.hidden, 1, direction), {0});
  }

  Call& call_;
  const Steps& steps_;
  TensorId x_;
};

List<std::string> default_names(int64_t gates) {
  if (gates == kLstmGates) return {"Sigmoid", "Tanh", "Tanh"};
  if (gates == kGruGates) return {"Sigmoid", "Tanh"};
  return {"Tanh"};
}

Steps read_steps(Call& call, int64_t gates, TensorId x) {
  const Attributes& attributes = call.attributes;
  Steps steps{.gates = gates, .steps = call.shape(x)[0], .hidden = 0, .directions = 1, .functions = {}};
  const TensorId r = call.plain_input(2);
  if (call.rank(r) != 3) fail(damaged("The recurrence weights do not have rank 3."));
  steps.hidden = call.shape(r)[2];
  steps.directions = attributes.text("direction", "forward") == "bidirectional" ? 2 : 1;
  steps.batch_first = attributes.flag("layout");
  steps.input_forget = attributes.flag("input_forget");
  steps.linear_before_reset = attributes.flag("linear_before_reset");
  steps.clip = double(attributes.real("clip", 0));
  if (steps.steps < 1 || steps.hidden < 1)
    fail(unsupported("The number of steps or the size of the state is known only at run time."));
  if (steps.steps > kMaxSteps) fail(unsupported("More than ", kMaxSteps, " steps are not supported."));
  List<std::string> names = attributes.texts("activations");
  const List<std::string> each = default_names(gates);
  while (names.size() < each.size() * static_cast<size_t>(steps.directions))
    names.insert(names.end(), each.begin(), each.end());
  if (names.size() != each.size() * static_cast<size_t>(steps.directions))
    fail(damaged("The number of activations (", names.size(), ") is not ", each.size(), " per direction."));
  steps.functions = read_functions(attributes, names);
  return steps;
}

// [steps, directions, batch, hidden], or batch first.
TensorId joined(Call& call, const Steps& steps, const List<DirectionResult>& made) {
  Ids rows;
  for (size_t step = 0; step < static_cast<size_t>(steps.steps); ++step) {
    Ids parts;
    for (const DirectionResult& direction : made) parts.push_back(call.unsqueeze(direction.y[step], {0, 1}));
    rows.push_back(call.concat(parts, 1));
  }
  const TensorId all = call.concat(rows, 0);
  return steps.batch_first ? call.transpose(all, {2, 0, 1, 3}) : all;
}

TensorId last_states(Call& call, const Steps& steps, const List<DirectionResult>& made,
                     TensorId DirectionResult::*state) {
  Ids parts;
  for (const DirectionResult& direction : made) parts.push_back(call.unsqueeze(direction.*state, {0}));
  const TensorId all = call.concat(parts, 0);
  return steps.batch_first ? call.transpose(all, {1, 0, 2}) : all;
}

// Per step, a [batch, 1] mask of sequences that have ended; empty if all have the same length.
List<TensorId> ended_rows(Call& call, const Steps& steps) {
  List<TensorId> ended;
  if (!call.has(4)) return ended;
  const TensorId lengths = call.unsqueeze(call.cast(call.input(4), DType::i32), {1});
  for (int64_t step = 0; step < steps.steps; ++step) ended.push_back(call.less(lengths, double(step) + 1));
  return ended;
}

// For features that OH_NN's layers lack: peepholes, clipping, other activations. The number of steps must be
// known.
Ids recurrent_steps(Call& call, int64_t gates) {
  TensorId x = call.input(0);
  if (call.rank(x) != 3) fail(damaged("The input of the layer does not have rank 3."));
  if (call.attributes.flag("layout")) x = call.transpose(x, {1, 0, 2});
  const Steps steps = read_steps(call, gates, x);
  const List<TensorId> ended = ended_rows(call, steps);
  const bool backward = call.attributes.text("direction", "forward") == "reverse";
  Operands operands(call, steps, x);
  List<DirectionResult> made;
  for (int64_t direction = 0; direction < steps.directions; ++direction)
    made.push_back(
        run_direction(call, steps, operands.read(direction), x, ended, backward || direction == 1));
  Ids results{call.wants(0) ? joined(call, steps, made) : 0,
              last_states(call, steps, made, &DirectionResult::h)};
  if (gates == kLstmGates) results.push_back(last_states(call, steps, made, &DirectionResult::c));
  return results;
}

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

struct Sizes {
  int64_t directions, hidden;
};

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
  sizes = {direction == "bidirectional" ? 2 : 1, call.shape(r)[2]};
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
    layer.operands.push_back(states(call, input, x, layer.sizes.hidden, layer.sizes.directions));
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
  layer.operands.push_back(states(call, 5, layer.operands[0], layer.sizes.hidden, layer.sizes.directions));
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
