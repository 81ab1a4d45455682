// LSTM, GRU and RNN, unrolled step by step.
#include "tools/import/onnx/formulas/onnx_activation.h"
#include "tools/import/onnx/formulas/onnx_recurrent_formulas.h"
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kMaxSteps = 1024;
constexpr int64_t kLstmGates = 4, kGruGates = 3;

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
  TensorId part(size_t input, int64_t direction, int64_t axis = 0) {
    return call_.gather(call_.input(input), call_.emitter().number(DType::i64, double(direction)), axis);
  }
  TensorId state(size_t input, int64_t direction) {
    if (call_.has(input)) return part(input, direction, steps_.batch_first ? 1 : 0);
    const int64_t batch = call_.shape(x_)[1];
    if (batch != kUnknown) return call_.filled(call_.dtype(x_), {batch, steps_.hidden}, 0);
    const TensorId lengths = call_.cast(call_.emit(Op::shape, {x_}), DType::i64);
    const TensorId shape = call_.concat({call_.slice(lengths, 0, 1, 2), call_.vector({steps_.hidden})}, 0);
    return call_.filled_as(call_.dtype(x_), shape, 0);
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

}  // namespace

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

}  // namespace nnrt::import::onnx
