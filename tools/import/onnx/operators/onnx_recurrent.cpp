// LSTM, GRU and RNN. ONNX and OH_NN use the same gate order.
#include "tools/import/onnx/formulas/onnx_activation.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <span>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kMaxSteps = 1024;  // of a layer that is unrolled
constexpr int64_t kLstmGates = 4, kGruGates = 3;

// What all three have in common.
struct Layer {
  int64_t gates, hidden, directions;
  bool batch_first, backward;  // backward: the only direction
  Ids operands;  // as in ONNX and OH_NN: input [steps, batch, width], both weights, bias, states
};

// States [directions, batch, hidden] before x [steps, batch, width]: zeros unless given. The batch may be
// dynamic.
TensorId states(Call& call, size_t input, TensorId x, const Layer& layer) {
  if (call.has(input)) {
    const TensorId given = call.input(input);
    return layer.batch_first ? call.transpose(given, {1, 0, 2}) : given;
  }
  const int64_t batch = call.shape(x)[1];
  if (batch != kUnknown) return call.filled(call.dtype(x), {layer.directions, batch, layer.hidden}, 0);
  const TensorId known = call.slice(call.shape_as_tensor(x), 0, 1, 2);
  return call.filled_as(call.dtype(x),
                        call.concat({call.vector({layer.directions}), known, call.vector({layer.hidden})}, 0),
                        0);
}

// Input, weights, bias, lengths, states and peepholes have fixed ranks; weights, bias and peepholes begin
// with the directions.
void check_shapes(Call& call, int64_t directions) {
  constexpr int64_t kRanks[] = {3, 3, 3, 2, 1, 3, 3, 2};
  for (size_t i = 0; i < std::size(kRanks); ++i) {
    if (!call.has(i)) continue;
    const TensorId id = call.plain_input(i);
    if (call.rank(id) != kRanks[i])
      fail(damaged("Input ", i, " of the layer has rank (", call.rank(id), ") instead of ", kRanks[i], "."));
    const bool is_shared = i == 0 || (i >= 4 && i <= 6);
    if (!is_shared && call.shape(id)[0] != directions && call.shape(id)[0] != kUnknown)
      fail(damaged("Input ", i, " is of ", call.shape(id)[0], " directions instead of ", directions, "."));
  }
}

Layer read_layer(Call& call, int64_t gates) {
  const std::string direction = call.attributes.text("direction", "forward");
  const int64_t directions = direction == "bidirectional" ? 2 : 1;
  check_shapes(call, directions);
  const TensorId given = call.input(0), w = call.input(1), r = call.input(2);
  Layer layer{gates, call.shape(r)[2], directions, call.attributes.flag("layout"), direction == "reverse",
              {}};
  if (layer.hidden == kUnknown) fail(unsupported("The size of the state is known only at run time."));
  if (layer.hidden < 1 || layer.hidden > std::numeric_limits<int32_t>::max() / (2 * gates))
    fail(damaged("The hidden size (", layer.hidden, ") is not supported."));
  const TensorId x = layer.batch_first ? call.transpose(given, {1, 0, 2}) : given;
  const TensorId bias = call.has(3)
                            ? call.input(3)
                            : call.filled(call.dtype(x), {layer.directions, 2 * gates * layer.hidden}, 0);
  layer.operands = {x, w, r, bias, states(call, 5, x, layer)};
  if (gates == kLstmGates) layer.operands.push_back(states(call, 6, x, layer));
  return layer;
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

bool has_one_length(Call& call) {
  if (!call.has(4)) return true;
  const TensorId x = call.plain_input(0);
  if (call.rank(x) != 3) return false;
  const int64_t steps = call.shape(x)[call.attributes.flag("layout") ? 1 : 0];
  const auto known = call.known_integers(call.plain_input(4));
  return known && std::ranges::all_of(*known, [&](int64_t length) { return length == steps; });
}

// Transposes the last states, which follow Y, to the node's layout.
Ids in_layout(Call& call, const Layer& layer, Ids made) {
  for (size_t i = 1; layer.batch_first && i < made.size(); ++i) made[i] = call.transpose(made[i], {1, 0, 2});
  return made;
}

// Emits one direction, whose input is already reversed if it runs backward. Returns the states of all steps
// [steps, batch, hidden], then the last ones. `sequences` is null if all have the same length.
using DirectionLayer =
    std::function<Ids(const Layer& layer, Ids operands, Sequences* sequences, int64_t direction)>;

// Emits the directions one by one. Each runs over all steps, and results behind the end of a sequence are
// masked. The number of steps may be dynamic.
Ids by_direction(Call& call, int64_t gates, const DirectionLayer& run) {
  const Layer layer = read_layer(call, gates);
  const TensorId x = layer.operands[0];
  std::optional<Sequences> sequences;
  if (!has_one_length(call)) sequences.emplace(call, x);
  List<Ids> parts(gates == kLstmGates ? 3 : 2);  // Y, Y_h and Y_c of each direction
  for (int64_t direction = 0; direction < layer.directions; ++direction) {
    const auto turned = [&](TensorId id) {
      if (!layer.backward && direction == 0) return id;
      return sequences ? sequences->reversed(id) : call.reversed(id, {0});
    };
    Ids operands{sequences ? sequences->masked(turned(x)) : turned(x)};
    for (const TensorId all : layer.operands.from(1))
      operands.push_back(call.slice(all, 0, direction, direction + 1));
    const TensorId start = operands[4];
    Ids made = run(layer, std::move(operands), sequences ? &*sequences : nullptr, direction);
    if (sequences) {
      made[1] = sequences->last(made[0], start);
      made[0] = sequences->masked(made[0]);
    }
    made[0] = call.unsqueeze(turned(made[0]), {1});
    for (size_t i = 0; i < parts.size(); ++i) parts[i].push_back(made[i]);
  }
  Ids results;
  for (const Ids& part : parts) results.push_back(call.concat(part, results.empty() ? 1 : 0));
  if (layer.batch_first) results[0] = call.transpose(results[0], {2, 0, 1, 3});
  return in_layout(call, layer, std::move(results));
}

struct GateFunction {
  const ActivationFunction* function = nullptr;
  double alpha = 0, beta = 0;

  TensorId operator()(Call& call, TensorId x) const { return function->apply(call, x, alpha, beta); }
};

// The functions of one direction. All directions list theirs, and the parameters of these, one after the
// other.
List<GateFunction> gate_functions(Call& call, const Layer& layer, int64_t direction) {
  const Attributes& attributes = call.attributes;
  const size_t each = layer.gates == kLstmGates ? 3 : layer.gates == kGruGates ? 2 : 1;
  const size_t count = each * static_cast<size_t>(layer.directions);
  List<std::string> names = attributes.texts("activations");
  while (names.size() < count) names.push_back(names.size() % each == 0 && each > 1 ? "Sigmoid" : "Tanh");
  if (names.size() != count)
    fail(damaged("The number of activations (", names.size(), ") is not ", each, " per direction."));
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
  return functions.from(static_cast<size_t>(direction) * each).before(each);
}

// One time step of one direction. Rows of the input are [batch, width].
class Cell {
 public:
  Cell(Call& call, const Layer& layer, const Ids& operands, int64_t direction)
      : call_(call),
        gates_(layer.gates),
        hidden_(layer.hidden),
        w_(call.squeeze(operands[1], {0})),
        r_(call.squeeze(operands[2], {0})),
        bias_w_(call.slice(operands[3], 1, 0, gates_ * hidden_)),
        bias_r_(call.slice(operands[3], 1, gates_ * hidden_, 2 * gates_ * hidden_)),
        clip_(double(call.attributes.real("clip", 0))),
        functions_(gate_functions(call, layer, direction)) {
    if (gates_ != kLstmGates || !call.has(7)) return;
    const TensorId all = call.slice(call.input(7), 0, direction, direction + 1);
    peepholes_ = {gate(all, 0), gate(all, 1), gate(all, 2)};
  }

  struct State {
    TensorId h, c;
  };
  State next(TensorId row, State state) {
    const TensorId x = call_.add(call_.matmul(row, w_, true), bias_w_);
    if (gates_ == kLstmGates) return lstm(x, state);
    return {gates_ == kGruGates ? gru(x, state.h) : rnn(x, state.h), 0};
  }

 private:
  TensorId gate(TensorId all, int64_t index) {
    return call_.slice(all, 1, index * hidden_, (index + 1) * hidden_);
  }
  TensorId through(size_t function, TensorId x) {
    if (clip_ > 0) x = call_.clip(x, -clip_, clip_);
    return functions_[function](call_, x);
  }
  TensorId with_peephole(TensorId x, size_t peephole, TensorId c) {
    return peepholes_.empty() ? x : call_.add(x, call_.mul(peepholes_[peephole], c));
  }
  TensorId recurrent(TensorId h) { return call_.add(call_.matmul(h, r_, true), bias_r_); }

  TensorId rnn(TensorId x, TensorId h) { return through(0, call_.add(x, recurrent(h))); }

  // Gates: update, reset, hidden.
  TensorId gru(TensorId x, TensorId h) {
    const TensorId all = recurrent(h);
    const TensorId update = through(0, call_.add(gate(x, 0), gate(all, 0)));
    const TensorId reset = through(0, call_.add(gate(x, 1), gate(all, 1)));
    TensorId inner = 0;
    if (call_.attributes.flag("linear_before_reset")) {
      inner = call_.mul(reset, gate(all, 2));
    } else {
      const TensorId weights = call_.slice(r_, 0, 2 * hidden_, 3 * hidden_);
      inner = call_.add(call_.matmul(call_.mul(reset, h), weights, true), gate(bias_r_, 2));
    }
    const TensorId hidden = through(1, call_.add(gate(x, 2), inner));
    return call_.add(call_.mul(call_.sub(call_.number(update, 1), update), hidden), call_.mul(update, h));
  }

  // Gates: input, output, forget, cell.
  State lstm(TensorId x, State state) {
    const TensorId all = call_.add(x, recurrent(state.h));
    const TensorId input = through(0, with_peephole(gate(all, 0), 0, state.c));
    const TensorId forget = call_.attributes.flag("input_forget")
                                ? call_.sub(call_.number(input, 1), input)
                                : through(0, with_peephole(gate(all, 2), 2, state.c));
    const TensorId cell = through(1, gate(all, 3));
    const TensorId c = call_.add(call_.mul(forget, state.c), call_.mul(input, cell));
    const TensorId output = through(0, with_peephole(gate(all, 1), 1, c));
    return {call_.mul(output, functions_[2](call_, c)), c};  // the cell is not clipped
  }

  Call& call_;
  const int64_t gates_, hidden_;
  const TensorId w_, r_, bias_w_, bias_r_;
  const double clip_;  // 0: no clipping
  const List<GateFunction> functions_;
  Ids peepholes_;  // of the input, output and forget gates, or none
};

// For features that OH_NN's layers lack: peepholes, clipping, other activations. The number of steps must be
// known.
Ids unrolled(Call& call, int64_t gates) {
  return by_direction(
      call, gates, [&](const Layer& layer, const Ids& operands, Sequences* sequences, int64_t direction) {
        const int64_t steps = call.shape(operands[0])[0];
        if (steps < 1)
          fail(unsupported("The number of steps or the size of the state is known only at run time."));
        if (steps > kMaxSteps) fail(unsupported("More than ", kMaxSteps, " steps are not supported."));
        const bool has_cell = gates == kLstmGates;
        Cell cell(call, layer, operands, direction);
        Cell::State state{call.squeeze(operands[4], {0}), has_cell ? call.squeeze(operands[5], {0}) : 0};
        Ids rows;
        for (int64_t step = 0; step < steps; ++step) {
          const TensorId at = call.number(DType::i64, double(step));
          Cell::State next = cell.next(call.gather(operands[0], at, 0), state);
          if (has_cell && sequences != nullptr)
            next.c = call.where(call.gather(sequences->valid(), at, 0), next.c, state.c);
          state = next;
          rows.push_back(call.unsqueeze(state.h, {0}));
        }
        Ids made{call.concat(rows, 0), rows.back()};
        if (has_cell) made.push_back(call.unsqueeze(state.c, {0}));
        return made;
      });
}

// Returns whether the activations of every direction are the default ones.
bool has_functions(Call& call, std::span<const std::string_view> wanted) {
  const List<std::string> functions = call.attributes.texts("activations");
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i] != wanted[i % wanted.size()]) return false;
  }
  return true;
}

// Returns whether an OH_NN layer supports the node, except for its sequence lengths.
bool is_plain(Call& call, std::span<const std::string_view> functions) {
  const bool is_coupled = call.attributes.flag("input_forget") || call.has(7);
  return !is_coupled && !call.attributes.has("clip") && has_functions(call, functions);
}

// Y of a layer, [steps, batch, directions * hidden], beside its last states.
Ids as_outputs(Call& call, const Layer& layer, Ids made) {
  const TensorId parts = call.regroup(made[0], {0, 0, layer.directions, layer.hidden});
  made[0] = call.transpose(parts, layer.batch_first ? List<int64_t>{1, 0, 2, 3} : List<int64_t>{0, 2, 1, 3});
  return in_layout(call, layer, std::move(made));
}

Ids lstm_layer(Call& call, const Ids& operands, bool both) {
  return call.emitter().emit_many(Op::lstm, operands, {{Attr::bidirectional, both}, {Attr::has_bias, true}},
                                  {.count = 3});
}

// LSTM has no parameter for backward only.
Ids lstm(Call& call) {
  constexpr std::string_view kFunctions[] = {"Sigmoid", "Tanh", "Tanh"};
  if (!is_plain(call, kFunctions)) return unrolled(call, kLstmGates);
  const bool is_backward = call.attributes.text("direction") == "reverse";
  if (is_backward || !has_one_length(call))
    return by_direction(call, kLstmGates,
                        [&](const Layer& layer, Ids operands, Sequences* sequences, int64_t) {
                          if (sequences != nullptr && call.wants(2))
                            freeze_cell(call, *sequences, operands[0], operands[1], layer.hidden);
                          return lstm_layer(call, operands, false);
                        });
  const Layer layer = read_layer(call, kLstmGates);
  return as_outputs(call, layer, lstm_layer(call, layer.operands, layer.directions == 2));
}

// GRU or RNN, from the layer to its outputs.
Ids one_state_layer(Call& call, Op operation, int64_t gates, const AttrSetting& option) {
  constexpr int8_t kForward = 0, kBackward = 1, kBoth = 2;
  const auto emit = [&](const Ids& operands, int8_t value) {
    return call.emitter().emit_many(operation, operands, {{Attr::direction, value}, option}, {.count = 2});
  };
  if (!has_one_length(call))
    return by_direction(call, gates, [&](const Layer&, const Ids& operands, Sequences*, int64_t) {
      return emit(operands, kForward);
    });
  const Layer layer = read_layer(call, gates);
  const int8_t value = layer.directions == 2 ? kBoth : layer.backward ? kBackward : kForward;
  return as_outputs(call, layer, emit(layer.operands, value));
}

Ids gru(Call& call) {
  constexpr std::string_view kFunctions[] = {"Sigmoid", "Tanh"};
  if (!is_plain(call, kFunctions)) return unrolled(call, kGruGates);
  const bool linear = call.attributes.flag("linear_before_reset");
  return one_state_layer(call, Op::gru, kGruGates, {Attr::linear_before_reset, linear});
}

Ids rnn(Call& call) {
  constexpr std::string_view kTanh[] = {"Tanh"}, kRelu[] = {"Relu"};
  const bool rectifies = !call.attributes.texts("activations").empty() && has_functions(call, kRelu);
  if (!is_plain(call, rectifies ? kRelu : kTanh)) return unrolled(call, 1);
  return one_state_layer(call, Op::rnn, 1, {Attr::mode, rectifies});
}

}  // namespace

std::vector<Row> recurrent_rows() { return {{"GRU", gru}, {"LSTM", lstm}, {"RNN", rnn}}; }

}  // namespace nnrt::import::onnx
