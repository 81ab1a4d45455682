// If: inlines the taken branch, or selects between both. Loop and Scan, unrolled: where only a run knows how
// many rounds there are, each possible one is computed, and counts only if it happens.
#include "core/base/counted.h"
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/onnx_constants.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::onnx {
namespace {

// For equal ranks with different shapes: slices the one not taken to zero elements and concatenates both.
TensorId choose_shape_too(Call& call, TensorId holds, TensorId taken, TensorId other) {
  const auto where = [&](TensorId a, TensorId b) { return call.where(holds, a, b); };
  const TensorId none = call.vector({0}), all = call.vector({std::numeric_limits<int32_t>::max()});
  Ids parts, shapes;
  for (const TensorId id : {taken, other}) {
    const bool is_taken = id == taken && parts.empty();
    const TensorId end = where(is_taken ? all : none, is_taken ? none : all);
    parts.push_back(call.slice_between(call.regroup(id, {-1}), 0, none, end));
    shapes.push_back(call.emit(Op::shape, {id}));
  }
  const TensorId joined = call.concat(parts, 0);
  const TensorId shape = where(shapes[0], shapes[1]);
  Dims known = call.shape(taken);
  for (size_t d = 0; d < known.size(); ++d)
    if (known[d] != call.shape(other)[d]) known[d] = kUnknown;
  return call.emit(Op::reshape, {joined, shape}, {}, {.shape = known});
}

// `taken` if the BOOL scalar holds, otherwise `other`. Their shapes may differ, but not their ranks.
TensorId chosen(Call& call, TensorId holds, TensorId taken, TensorId other) {
  if (call.dtype(taken) != call.dtype(other))
    fail(damaged("The results to choose from have different types."));
  const Dims &shape = call.shape(taken), &other_shape = call.shape(other);
  if (shape.size() != other_shape.size())
    fail(unsupported("The results to choose from have different ranks, ", shape.size(), " and ",
                     other_shape.size(), "."));
  if (shape == other_shape && is_static(shape)) return call.where(holds, taken, other);
  return choose_shape_too(call, holds, taken, other);
}

// Returns whether a body was refused for what it contains: then no valid run can reach it.
bool does_not_fit(const Result<Values>& made) {
  return !made.ok() && made.error().code != Code::memory && made.error().code != Code::failed;
}

// The result of one branch; fails at run time if the other branch is taken.
TensorId only(Call& call, TensorId holds, TensorId id, bool is_taken) {
  if (!is_taken) holds = call.emit(Op::logical_not, {holds});
  return call.emit(Op::assert_, {holds, id});
}

// Results of different ranks cannot share a tensor. Exporters produce this for a conditional squeeze, in the
// first branch.
TensorId chosen_branch(Call& call, TensorId holds, TensorId taken, TensorId other) {
  if (call.rank(taken) != call.rank(other)) return only(call, holds, taken, true);
  return chosen(call, holds, taken, other);
}

Ids choose_in_run(Call& call, TensorId given) {
  const onnx_file::GraphProto &positive = call.body("then_branch"), &negative = call.body("else_branch");
  const Result<Values> taken = call.bodies->run_body(positive, {});
  if (!taken.ok() && !does_not_fit(taken)) fail(taken.error());
  const Result<Values> other = call.bodies->run_body(negative, {});
  if (!other.ok() && (!taken.ok() || !does_not_fit(other))) fail((taken.ok() ? other : taken).error());
  const size_t count = (taken.ok() ? taken : other).value().size();
  if (taken.ok() && other.ok() && other.value().size() != count)
    fail(damaged("The branches have ", count, " and ", counted(other.value().size(), "output"), "."));
  const TensorId holds = call.reshape(given, {});
  const auto tensor = [](const Values& made, size_t i) -> TensorId {
    if (made[i].plain) return *made[i].plain;
    fail(unsupported("A sequence of a branch that only a run chooses is not supported."));
  };
  Ids made;
  for (size_t i = 0; i < count; ++i) {
    made.push_back(0);
    if (!call.wants(i)) continue;
    const TensorId first = tensor((taken.ok() ? taken : other).value(), i);
    made.back() = taken.ok() && other.ok() ? chosen_branch(call, holds, first, tensor(other.value(), i))
                                           : only(call, holds, first, taken.ok());
  }
  return made;
}

Ids if_node(Call& call) {
  const TensorId condition = call.plain_input(0);
  const std::optional<double> known = call.known_number(condition);
  if (!known) return choose_in_run(call, condition);
  const onnx_file::GraphProto& body = call.body(*known != 0 ? "then_branch" : "else_branch");
  return outputs_of(call, required(call.bodies->run_body(body, {})));
}

constexpr int64_t kMaxRounds = 1024;
constexpr int64_t kMaxOpenRounds = 64;  // of a loop without a known bound

// A scan output with zero iterations: the body's result with an extra dimension of 0.
TensorId no_parts(Call& call, const onnx_file::ValueInfo& result, int64_t axis) {
  const auto& type = result.type().tensor_type();
  const DType dtype = required(stored_dtype_of(type.elem_type()));
  Dims shape;
  for (const onnx_file::Dimension& dimension : type.shape().dim()) {
    if (!dimension.has_dim_value() || dimension.dim_value() < 0)
      fail(unsupported("The shape of ", result.name(), ", which no iteration produces, is not known."));
    shape.push_back(dimension.dim_value());
  }
  if (!type.has_shape())
    fail(unsupported("The shape of ", result.name(), ", which no iteration produces, is not known."));
  axis = call.axis(axis, static_cast<int64_t>(shape.size()) + 1);
  shape.insert(shape.begin() + axis, 0);
  return call.constant(dtype, std::move(shape), Bytes());
}

// Stacks the equally shaped results of all iterations along a new dimension.
TensorId stacked(Call& call, const Ids& parts, const onnx_file::ValueInfo& result, int64_t axis) {
  if (parts.empty()) return no_parts(call, result, axis);
  axis = call.axis(axis, call.rank(parts[0]) + 1);
  Ids lines;
  for (const TensorId part : parts) lines.push_back(call.unsqueeze(part, {axis}));
  return call.concat(lines, axis);
}

TensorId number(Call& call, int64_t i) { return call.number(DType::i64, static_cast<double>(i)); }

Ids unstacked(Call& call, TensorId x, int64_t axis) {
  const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
  if (length == kUnknown) fail(unsupported("The length of dimension ", axis, " is known only at run time."));
  if (length > kMaxRounds) fail(unsupported("More than ", kMaxRounds, " iterations are not supported."));
  Ids slices;
  for (int64_t i = 0; i < length; ++i) slices.push_back(call.gather(x, number(call, i), axis));
  return slices;
}

Values carried_inputs(Call& call, size_t first) {
  Values values;
  for (size_t i = first; i < call.input_count(); ++i) {
    if (const auto& elements = call.value(i).elements) {
      values.push_back({.elements = elements});
    } else {
      values.push_back({.plain = call.plain_input(i)});
    }
  }
  return values;
}

// How often a body is computed: a number, a number that only a run knows, or both bounds. Empty: any number.
struct Count {
  std::optional<int64_t> known{};
  std::optional<TensorId> given{};  // a scalar of INT64
};

// The rounds of a loop: what they carry on, and what they add to the results.
class Rounds {
 public:
  Rounds(Call& call, const onnx_file::GraphProto& body, Values carried, Count count)
      : call_(call), body_(body), carried_(std::move(carried)), count_(count) {}

  // `first`: the number of the body's outputs that are neither carried nor added.
  void begin(size_t first) {
    const auto results = static_cast<size_t>(body_.output_size());
    if (results < first + carried_.size())
      fail(damaged("The body has ", counted(results, "result"), " instead of ", first + carried_.size(),
                   " or more."));
    first_ = first;
    added_.resize(results - first - carried_.size());
  }

  // A condition of the next round.
  void require(TensorId condition) {
    if (const std::optional<double> known = call_.known_number(condition)) {
      ended_ = ended_ || *known == 0;
      return;
    }
    condition = call_.reshape(condition, {});
    holds_ = holds_ ? call_.emit(Op::logical_and, {*holds_, condition}) : condition;
  }

  // `inputs_of` gives the body's inputs from the number of the round, as an integer and as a tensor, and from
  // what is carried.
  template <typename Inputs>
  void run(const Inputs& inputs_of) {
    for (int64_t i = 0; !ended_ && i < count_.known.value_or(kMaxRounds + 1); ++i) {
      if (count_.given)
        require(call_.less(call_.number(*count_.given, static_cast<double>(i)), *count_.given));
      if (i == kMaxRounds || (holds_ && !count_.known && i == kMaxOpenRounds)) return stop();
      required(call_.emitter().budget().check());
      const TensorId constant = number(call_, i);
      Result<Values> made =
          round(inputs_of, i, holds_ ? call_.where(*holds_, constant, number(call_, 0)) : constant);
      if (holds_ && does_not_fit(made)) made = round(inputs_of, i, constant);
      if (holds_ && i > 0 && does_not_fit(made)) return stop();
      const Values results = required(std::move(made));
      take(results);
      if (first_ > 0) require(results[0].plain.value_or(0));
    }
  }

  // The outputs of the node. `axes` and `reversed` of the added results are 0 where they are not given.
  Ids outputs(const List<int64_t>& axes, const List<int64_t>& reversed) {
    Values made = carried_;
    for (size_t i = 0; i < added_.size(); ++i) {
      made.push_back({.plain = TensorId{}});
      if (!call_.wants(made.size() - 1)) continue;
      const onnx_file::ValueInfo& result = body_.output(static_cast<int>(first_ + carried_.size() + i));
      made.back().plain = stacked_rounds(added_[i], result, listed(axes, i), listed(reversed, i) != 0);
    }
    for (Value& value : made)
      if (beyond_ && value.plain) value.plain = call_.emit(Op::assert_, {*beyond_, *value.plain});
    return outputs_of(call_, made);
  }

  static int64_t listed(const List<int64_t>& values, size_t i) { return i < values.size() ? values[i] : 0; }

 private:
  // A number that only a run knows is 0 in rounds that do not happen, so that it is in range.
  template <typename Inputs>
  Result<Values> round(const Inputs& inputs_of, int64_t i, TensorId as_tensor) {
    return converting([&] { return call_.bodies->run_body(body_, inputs_of(i, as_tensor, carried_)); });
  }

  // A run in which another round would follow fails.
  void stop() {
    if (!holds_) fail(unsupported("More than ", kMaxRounds, " iterations are not supported."));
    beyond_ = call_.emit(Op::logical_not, {*holds_});
  }

  void take(const Values& made) {
    if (made.size() != first_ + carried_.size() + added_.size())
      fail(damaged("The body has ", counted(made.size(), "output"), " instead of ",
                   first_ + carried_.size() + added_.size(), "."));
    for (size_t i = 0; i < carried_.size(); ++i) {
      const Value& next = made[first_ + i];
      if (!holds_ || (next.plain && next.plain == carried_[i].plain)) {
        carried_[i] = next;
      } else if (next.plain && carried_[i].plain) {
        carried_[i].plain = chosen(call_, *holds_, *next.plain, *carried_[i].plain);
      } else {
        fail(unsupported("A sequence that changes in an unknown number of iterations is not supported."));
      }
    }
    for (size_t i = 0; i < added_.size(); ++i) {
      const std::optional<TensorId> part = made[first_ + carried_.size() + i].plain;
      if (!part) fail(damaged("A sequence cannot be an element of a result."));
      added_[i].push_back(*part);
    }
    if (holds_) happened_.push_back(call_.reshape(*holds_, {1}));
    if (!holds_) ++certain_;
  }

  TensorId stacked_rounds(Ids parts, const onnx_file::ValueInfo& result, int64_t axis, bool reversed) {
    if (reversed) std::ranges::reverse(parts);
    const auto total = static_cast<int64_t>(parts.size());
    const TensorId all = stacked(call_, parts, result, axis);
    if (happened_.empty()) return all;
    const TensorId flags = call_.cast(call_.concat(happened_, 0), DType::i64);
    const TensorId rounds = call_.add(call_.sum(flags, {0}), static_cast<double>(certain_));
    const TensorId none = call_.vector({0}), end = call_.vector({total});
    return call_.slice_between(all, call_.axis(axis, call_.rank(all)),
                               reversed ? call_.sub(end, rounds) : none, reversed ? end : rounds);
  }

  Call& call_;
  const onnx_file::GraphProto& body_;
  Values carried_;
  const Count count_;
  size_t first_ = 0;
  List<Ids> added_;
  bool ended_ = false;
  std::optional<TensorId> holds_{};   // whether the round happens, if only a run knows
  std::optional<TensorId> beyond_{};  // false if a run needs more rounds than there are
  Ids happened_;
  int64_t certain_ = 0;
};

Count trip_count(Call& call) {
  if (!call.has(0)) return Count{};
  const TensorId id = call.plain_input(0);
  const auto known = call.known_integers(id);
  if (known && known->size() != 1) fail(damaged("The number of iterations is not a scalar."));
  if (known)
    return Count{.known = known->front() > kMaxRounds ? std::nullopt : std::optional(known->front())};
  return Count{.given = call.reshape(id, {})};
}

Ids loop(Call& call) {
  const onnx_file::GraphProto& body = call.body("body");
  const Count count = trip_count(call);
  Rounds rounds(call, body, carried_inputs(call, 2), count);
  rounds.begin(1);
  if (call.has(1)) rounds.require(call.plain_input(1));
  rounds.run([&](int64_t, TensorId i, const Values& state) -> Values {
    Values inputs{{.plain = i}, {.plain = call.number(DType::boolean, 1)}};
    inputs.insert(inputs.end(), state.begin(), state.end());
    return inputs;
  });
  return rounds.outputs({}, {});
}

// One of the sequences that a Scan goes through, an element in each round.
struct Sequence {
  TensorId x = 0;
  int64_t axis = 0;
  bool reversed = false;
};

// The length of the sequences: of one that is known, or else as a run finds it.
Count length_of(Call& call, const List<Sequence>& sequences) {
  Count count;
  for (const Sequence& sequence : sequences) {
    const int64_t length = call.shape(sequence.x)[static_cast<size_t>(sequence.axis)];
    if (length == kUnknown) continue;
    if (length > kMaxRounds) fail(unsupported("More than ", kMaxRounds, " iterations are not supported."));
    if (count.known && *count.known != length) fail(damaged("The sequences differ in length."));
    count.known = length;
  }
  if (count.known) return count;
  const int64_t axis = sequences[0].axis;
  count.given = call.reshape(call.slice(call.emit(Op::shape, {sequences[0].x}), 0, axis, axis + 1), {});
  count.given = call.cast(*count.given, DType::i64);
  return count;
}

TensorId element_of(Call& call, const Sequence& sequence, const Count& length, int64_t i,
                    TensorId as_tensor) {
  if (!sequence.reversed) return call.gather(sequence.x, as_tensor, sequence.axis);
  if (length.known) return call.gather(sequence.x, number(call, *length.known - 1 - i), sequence.axis);
  return call.gather(sequence.x, call.sub(call.sub(*length.given, as_tensor), 1.0), sequence.axis);
}

// The last inputs are sequences, the others are carried.
Ids scan_sequences(Call& call, const Values& inputs) {
  const int64_t given = call.attributes.count("num_scan_inputs", 0);
  if (given < 1 || given > static_cast<int64_t>(inputs.size()))
    fail(damaged("The number of sequences (", given, ") is outside [1, ", inputs.size(), "]."));
  const size_t count = static_cast<size_t>(given), first = inputs.size() - count;
  const bool is_old = call.attributes.has("directions");
  const List<int64_t> axes = call.attributes.integers("scan_input_axes"),
                      directions = call.attributes.integers(is_old ? "directions" : "scan_input_directions");
  List<Sequence> sequences;
  for (size_t i = 0; i < count; ++i) {
    if (!inputs[first + i].plain) fail(damaged("A list of tensors cannot be scanned."));
    const TensorId x = *inputs[first + i].plain;
    const int64_t axis = call.axis(Rounds::listed(axes, i), call.rank(x));
    sequences.push_back({x, axis, Rounds::listed(directions, i) != 0});
  }
  const onnx_file::GraphProto& body = call.body("body");
  const Count length = length_of(call, sequences);
  Rounds rounds(call, body, inputs.before(first), length);
  rounds.begin(0);
  rounds.run([&](int64_t i, TensorId as_tensor, const Values& state) -> Values {
    Values of_round = state;
    for (const Sequence& sequence : sequences)
      of_round.push_back({.plain = element_of(call, sequence, length, i, as_tensor)});
    return of_round;
  });
  return rounds.outputs(call.attributes.integers("scan_output_axes"),
                        call.attributes.integers("scan_output_directions"));
}

// Before opset 9, each batch element is scanned separately.
Ids scan_batch(Call& call) {
  if (call.has(0)) fail(unsupported("Sequences of different lengths are not supported."));
  const Values inputs = carried_inputs(call, 1);
  List<Ids> elements;  // per input
  for (const Value& input : inputs) {
    if (!input.plain || call.rank(*input.plain) == 0) fail(damaged("An input has no dimension."));
    elements.push_back(unstacked(call, *input.plain, 0));
  }
  List<Ids> results;
  for (size_t i = 0; !elements.empty() && i < elements[0].size(); ++i) {
    Values element;
    for (const Ids& one : elements) {
      if (one.size() != elements[0].size()) fail(damaged("The inputs have different batch sizes."));
      element.push_back({.plain = one[i]});
    }
    const Ids made = scan_sequences(call, element);
    results.resize(made.size());
    for (size_t k = 0; k < made.size(); ++k) results[k].push_back(made[k]);
  }
  Ids made;
  for (size_t k = 0; k < results.size(); ++k)
    made.push_back(call.wants(k) ? stacked(call, results[k], {}, 0) : TensorId{});
  return made;
}

Ids scan_node(Call& call) {
  constexpr int64_t kWithoutBatch = 9;
  if (call.opset() < kWithoutBatch) return scan_batch(call);
  return scan_sequences(call, carried_inputs(call, 0));
}

}  // namespace

std::vector<Row> control_flow_rows() {
  return {
      {"If", if_node},
      {.type = "Loop", .handler = loop, .required = 0},
      {.type = "Scan", .handler = scan_node, .required = 0},
  };
}

}  // namespace nnrt::import::onnx
