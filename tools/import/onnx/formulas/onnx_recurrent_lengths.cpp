// LSTM, GRU and RNN over sequences of different lengths. A layer runs over all steps of each direction; what
// it computes after the end of a sequence is masked.
#include "tools/import/onnx/formulas/onnx_recurrent_formulas.h"
#include "tools/import/onnx/onnx_formula.h"

#include <iterator>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kLstmGates = 4;

// 0, 1, ... along a dimension of x, [length].
TensorId positions(Formula& f, TensorId x, int64_t axis) {
  const int64_t length = f.shape(x)[static_cast<size_t>(axis)];
  if (length != kUnknown) return f.indices(DType::i64, {length}, [](int64_t i) { return i; });
  const TensorId shape = f.cast(f.emit(OH_NN_OPS_SHAPE, {x}), DType::i64);
  const TensorId ones = f.given(f.call().filled_as(DType::i64, f.slice(shape, 0, axis, axis + 1), 1));
  return f.sub(f.emit(extension(OH_NN_OPS_CUM_SUM), {ones}), 1.0);
}

class Sequences {
 public:
  // x: [steps, batch, width]
  Sequences(Formula& f, TensorId x) : f_(f), lengths_(f.cast(f.input(4), DType::i64)) {
    const TensorId step = f.unsqueeze(positions(f, x, 0), {1});
    batch_ = positions(f, x, 1);
    const TensorId is_valid = f.less(step, lengths_);
    const TensorId mirrored = f.where(is_valid, f.sub(f.sub(lengths_, 1.0), step), step);
    valid_ = f.unsqueeze(is_valid, {2});
    mirrored_ = with_batch(mirrored);
  }

  // [steps, batch, 1]
  TensorId valid() const { return valid_; }
  TensorId masked(TensorId x) { return f_.where(valid_, x, f_.number(x, 0)); }
  // Reverses each sequence; steps after its end keep their place.
  TensorId reversed(TensorId x) { return f_.emit(OH_NN_OPS_GATHER_ND, {x, mirrored_}); }
  // The last valid step of y as [1, batch, hidden]; `start` for sequences without steps.
  TensorId last(TensorId y, TensorId start) {
    const TensorId at = f_.max(f_.sub(lengths_, 1.0), f_.number(lengths_, 0));
    const TensorId found = f_.unsqueeze(f_.emit(OH_NN_OPS_GATHER_ND, {y, with_batch(at)}), {0});
    const TensorId is_empty = f_.unsqueeze(f_.less(lengths_, 1.0), {1});
    return f_.where(is_empty, start, found);
  }

 private:
  // Indices [..., batch, 2] from steps [..., batch].
  TensorId with_batch(TensorId step) {
    const int64_t rank = f_.rank(step);
    const TensorId column = f_.add(f_.mul(step, f_.number(step, 0)), batch_);
    return f_.concat({f_.unsqueeze(step, {rank}), f_.unsqueeze(column, {rank})}, rank);
  }

  Formula& f_;
  TensorId lengths_, batch_ = 0, valid_ = 0, mirrored_ = 0;
};

// [1, batch, hidden] of a direction: the node's input or zeros.
TensorId start_state(Formula& f, size_t input, TensorId x, int64_t direction, int64_t hidden,
                     bool batch_first) {
  if (f.call().has(input)) {
    const TensorId all = f.input(input);
    return f.slice(batch_first ? f.transpose(all, {1, 0, 2}) : all, 0, direction, direction + 1);
  }
  const TensorId shape = f.cast(f.emit(OH_NN_OPS_SHAPE, {x}), DType::i64);
  const TensorId lengths = f.concat({f.integers({1}), f.slice(shape, 0, 1, 2), f.integers({hidden})}, 0);
  return f.given(f.call().filled_as(f.dtype(x), lengths, 0));
}

// Keeps an LSTM's cell state after the end of a sequence: another input feature, 1 there, closes the input
// gate and opens the forget gate. Its weight exceeds any sum of a state within [-1, 1] and a bias by far, and
// fits FLOAT16.
void freeze_cell(Formula& f, const Sequences& sequences, TensorId& x, TensorId& weights, int64_t hidden) {
  constexpr double kClosed = -30000, kOpen = 30000;
  const TensorId ended = f.cast(f.emit(OH_NN_OPS_LOGICAL_NOT, {sequences.valid()}), f.dtype(x));
  x = f.concat({x, ended}, 2);
  const TensorId column = f.indices(f.dtype(weights), {1, kLstmGates * hidden, 1}, [&](int64_t row) {
    const int64_t gate = row / hidden;  // input, output, forget, cell
    return gate == 0 ? kClosed : gate == 2 ? kOpen : 0;
  });
  weights = f.concat({weights, column}, 2);
}

// Input, weights, bias, lengths and states have fixed ranks.
Status check_ranks(Call& call) {
  constexpr int64_t kRanks[] = {3, 3, 3, 2, 1, 3, 3};
  for (size_t i = 0; i < std::size(kRanks); ++i) {
    if (!call.has(i)) continue;
    NNRT_ASSIGN(const TensorId id, call.plain_input(i));
    if (call.rank(id) != kRanks[i])
      return damaged("Input ", i, " of the layer has rank (", call.rank(id), ") instead of ", kRanks[i], ".");
  }
  return {};
}

}  // namespace

Result<Ids> recurrent_lengths(Call& call, int64_t gates, const DirectionLayer& layer) {
  NNRT_TRY(check_ranks(call));
  Formula f(call);
  const bool batch_first = call.attributes.integer("layout", 0) != 0;
  const std::string order = call.attributes.text("direction", "forward");
  const TensorId given = f.input(0), r = f.input(2);
  if (call.shape(r)[2] < 1) return unsupported("The size of the state is known only at run time.");
  const int64_t hidden = call.shape(r)[2], directions = order == "bidirectional" ? 2 : 1;
  const TensorId x = batch_first ? f.transpose(given, {1, 0, 2}) : given;
  Sequences sequences(f, x);
  List<Ids> parts(3);  // Y, Y_h and Y_c of each direction
  for (int64_t direction = 0; direction < directions; ++direction) {
    const bool backward = order == "reverse" || direction == 1;
    const auto part = [&](size_t input) { return f.slice(f.input(input), 0, direction, direction + 1); };
    TensorId read = sequences.masked(backward ? sequences.reversed(x) : x), weights = part(1);
    if (gates == kLstmGates && call.wants(2)) freeze_cell(f, sequences, read, weights, hidden);
    const TensorId bias =
        call.has(3) ? part(3) : f.given(call.emitter().filled(f.dtype(x), {1, 2 * gates * hidden}, 0));
    Ids operands{read, weights, part(2), bias, start_state(f, 5, x, direction, hidden, batch_first)};
    if (gates == kLstmGates) operands.push_back(start_state(f, 6, x, direction, hidden, batch_first));
    NNRT_ASSIGN(const Ids made, layer(operands));
    const TensorId y = sequences.masked(made[0]);
    parts[0].push_back(f.unsqueeze(backward ? sequences.reversed(y) : y, {1}));
    parts[1].push_back(sequences.last(made[0], operands[4]));
    if (gates == kLstmGates) parts[2].push_back(made[2]);
  }
  Ids results{f.concat(parts[0], 1), f.concat(parts[1], 0)};
  if (gates == kLstmGates) results.push_back(f.concat(parts[2], 0));
  if (!batch_first) return results;
  results[0] = f.transpose(results[0], {2, 0, 1, 3});
  for (size_t i = 1; i < results.size(); ++i) results[i] = f.transpose(results[i], {1, 0, 2});
  return results;
}

}  // namespace nnrt::import::onnx
