// Operators of decoders whose states are tensors of fixed size: caches, and sums over all steps so far.
#include "core/base/counted.h"
#include "tools/import/onnx/contrib/onnx_attention.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kToEnd = std::numeric_limits<int32_t>::max();

// Fails in a run that would write behind the end of the cache.
TensorId checked_writes(Call& call, TensorId update, TensorId starts, int64_t length, int64_t axis) {
  const TensorId count = length_at(call, update, static_cast<size_t>(axis));
  const TensorId last = call.squeeze(call.add(call.largest(starts, {0}), count), {0});
  const TensorId first = call.squeeze(call.smallest(starts, {0}), {0});
  const TensorId fits = call.emit(Op::logical_and, {call.less(last, static_cast<double>(length) + 1),
                                                    call.less(call.number(first, -1), first)});
  return call.emit(Op::assert_, {fits, update});
}

// Writes to a cache along an axis. Each batch element has its own first index.
Ids tensor_scatter(Call& call) {
  const TensorId cache = call.input(0);
  TensorId update = call.input(1);
  const int64_t rank = call.rank(cache);
  const int64_t axis = call.axis(call.attributes.integer("axis", -2), rank);
  if (axis == 0) fail(damaged("The axis (0) is that of the batch."));
  if (call.rank(update) != rank)
    fail(damaged("The update of shape ", to_string(call.shape(update)), " does not have rank ", rank, "."));
  const std::string mode = call.attributes.text("mode", "linear");
  if (mode != "linear" && mode != "circular") fail(unsupported("Mode ", mode, " is not supported."));
  const int64_t length = call.length(cache, axis);
  List<int64_t> along(static_cast<size_t>(rank), 1), across = along;
  along[static_cast<size_t>(axis)] = across[0] = -1;
  TensorId places = call.regroup(numbers_along(call, update, static_cast<size_t>(axis)), along);
  if (call.has(2)) {
    const TensorId starts = call.cast(call.input(2), DType::i32);
    if (mode == "linear") update = checked_writes(call, update, starts, length, axis);
    places = call.add(places, call.regroup(starts, across));
  }
  if (mode == "circular")
    places = call.emit(Op::mod, {places, call.number(places, static_cast<double>(length))});
  const TensorId zeros = call.filled_as(DType::i32, call.emit(Op::shape, {update}), 0);
  return {call.emit(Op::scatter_elements, {cache, call.add(zeros, places), update}, {{Attr::axis, axis}})};
}

// Convolution of one group per channel, of the steps up to each one.
TensorId convolved(Call& call, TensorId x, int64_t channels) {
  onnx_file::NodeProto node;
  node.set_op_type("Conv");
  onnx_file::AttributeProto& group = *node.add_attribute();
  constexpr int32_t kInteger = 2;  // AttributeProto.INT
  group.set_name("group");
  group.set_type(kInteger);
  group.set_i(channels);
  const Row& row = *find_row(node.op_type(), "");
  Call conv(row, node, call.opset(), call.emitter());
  Value first{.plain = x};
  conv.inputs = {&first, call.inputs[1]};
  if (call.has(2)) conv.inputs.push_back(call.inputs[2]);
  conv.wanted = {true};
  return required(run_handler(conv))[0];
}

Ids causal_conv(Call& call) {
  const TensorId x = call.input(0), weights = call.input(1);
  if (call.rank(x) != 3 || call.rank(weights) != 3)
    fail(damaged("The input of shape ", to_string(call.shape(x)), " or the weights of shape ",
                 to_string(call.shape(weights)), " are not of rank 3."));
  const int64_t channels = call.length(weights, 0), before = call.length(weights, 2) - 1;
  if (before < 0) fail(damaged("The kernel is empty."));
  const TensorId whole = call.has(3)   ? call.concat({call.input(3), x}, 2)
                         : before == 0 ? x
                                       : call.padded(x, {0, 0, 0, 0, before, 0});
  TensorId y = convolved(call, whole, channels);
  const std::string activation = call.attributes.text("activation", "none");
  if (activation == "silu" || activation == "swish") {
    y = call.emit(Op::swish, {y});
  } else if (activation != "none") {
    fail(unsupported("Activation ", activation, " is not supported."));
  }
  if (!call.wants(1)) return {y};
  return {y, before == 0 ? call.slice(whole, 2, 0, 0) : call.slice(whole, 2, -before, kToEnd)};
}

// Attention without a softmax: each step adds to a state of one matrix per key head, which its query reads.
class LinearAttention {
 public:
  explicit LinearAttention(Call& call)
      : call_(call),
        heads_(call.attributes.count("kv_num_heads", 0)),
        rule_(call.attributes.text("update_rule", "gated_delta")),
        query_(split_heads(call_, call_.input(0), call.attributes.count("q_num_heads", 0))),
        key_(split_heads(call_, call_.input(1), heads_)),
        value_(split_heads(call_, call_.input(2), heads_)) {
    if (call.has(3)) state_ = call_.input(3);
  }

  Ids run() {
    prepare();
    const int64_t steps = call_.length(query_, 2),
                  groups = call_.length(query_, 1) / std::max<int64_t>(heads_, 1);
    const int64_t width = call_.length(query_, 1) * call_.length(value_, 3), size = call_.length(query_, 3);
    constexpr int64_t kMaxSteps = 1024;
    if (steps < 1 || steps > kMaxSteps)
      fail(unsupported("Linear attention of ", counted(steps, "step"), " is not supported."));
    if (groups * heads_ != call_.length(query_, 1))
      fail(damaged("The heads are not a multiple of the key heads (", heads_, ")."));
    const double scale = scale_of(call_, query_);
    Ids results;
    for (int64_t step = 0; step < steps; ++step) {
      update(step);
      const TensorId query = call_.regroup(call_.mul(at(query_, step), scale), {0, heads_, groups, size});
      results.push_back(call_.regroup(call_.matmul(query, *state_), {0, 1, width}));
    }
    return {call_.concat(results, 1), state_.value_or(0)};
  }

 private:
  void prepare() {
    const bool decays = rule_ == "gated" || rule_ == "gated_delta",
               corrects = rule_ == "delta" || rule_ == "gated_delta";
    if (!decays && !corrects && rule_ != "linear")
      fail(unsupported("Update rule ", rule_, " is not supported."));
    constexpr size_t kDecay = 4, kBeta = 5;
    if (decays) decay_ = call_.exp(split_heads(call_, call_.input(kDecay), heads_));
    if (corrects) {
      const bool is_shared = call_.length(call_.input(kBeta), 2) == 1;
      beta_ = split_heads(call_, call_.input(kBeta), is_shared ? 1 : heads_);
    }
  }

  TensorId at(TensorId x, int64_t step) { return call_.slice(x, 2, step, step + 1); }
  TensorId column(TensorId row) { return call_.transpose(row, {0, 1, 3, 2}); }

  void update(int64_t step) {
    if (state_ && decay_) state_ = call_.mul(*state_, column(at(*decay_, step)));
    const TensorId key = at(key_, step);
    TensorId added = at(value_, step);
    if (state_ && beta_) added = call_.sub(added, call_.matmul(key, *state_));
    if (beta_) added = call_.mul(added, at(*beta_, step));
    const TensorId product = call_.matmul(column(key), added);
    state_ = state_ ? call_.add(*state_, product) : product;
  }

  Call& call_;
  const int64_t heads_;
  const std::string rule_;
  const TensorId query_, key_, value_;  // [batch, heads, steps, size]
  std::optional<TensorId> state_, decay_, beta_;
};

Ids linear_attention(Call& call) { return LinearAttention(call).run(); }

}  // namespace

std::vector<Row> state_rows() {
  return {
      {"CausalConvWithState", causal_conv},
      {"LinearAttention", linear_attention},
      {"TensorScatter", tensor_scatter},
  };
}

}  // namespace nnrt::import::onnx
