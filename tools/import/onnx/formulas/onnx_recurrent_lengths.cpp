// LSTM, GRU and RNN over sequences of different lengths. A layer runs over all steps of each direction; what
// it computes after the end of a sequence is masked.
#include "tools/import/onnx/formulas/onnx_recurrent_formulas.h"
#include "tools/import/onnx/onnx_call.h"

#include <iterator>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kLstmGates = 4;

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

// [1, batch, hidden] of a direction: the node's input or zeros.
TensorId start_state(Call& call, size_t input, TensorId x, int64_t direction, int64_t hidden,
                     bool batch_first) {
  if (call.has(input)) {
    const TensorId all = call.input(input);
    return call.slice(batch_first ? call.transpose(all, {1, 0, 2}) : all, 0, direction, direction + 1);
  }
  const TensorId batch = call.slice(call.shape_as_tensor(x), 0, 1, 2);
  return call.filled_as(call.dtype(x), call.concat({call.vector({1}), batch, call.vector({hidden})}, 0), 0);
}

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

}  // namespace

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
    Ids operands{read, weights, part(2), bias, start_state(call, 5, x, direction, hidden, batch_first)};
    if (gates == kLstmGates) operands.push_back(start_state(call, 6, x, direction, hidden, batch_first));
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

}  // namespace nnrt::import::onnx
